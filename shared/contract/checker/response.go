package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

const (
	jsonType    = "application/json;charset=UTF-8"
	problemType = "application/problem+json;charset=UTF-8"
)

// checkResponse checks the rules that the validator does not know: undocumented statuses and media types, empty bodies,
// and rules outside of schemas. Then it calls the validator.
func (x exchange) checkResponse() error {
	documented := x.route.Operation.Responses.Status(x.res.StatusCode)
	if documented == nil {
		return fmt.Errorf("status %d is not documented", x.res.StatusCode)
	}
	if err := x.checkContentType(documented.Value); err != nil {
		return err
	}
	if err := x.checkOrigin(); err != nil {
		return err
	}
	if len(x.resBody) > 0 && isJSON(x.res.Header.Get("Content-Type")) {
		if err := x.checkJSON(); err != nil {
			return err
		}
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: x.req, Route: x.route},
		Status:                 x.res.StatusCode,
		Header:                 x.res.Header,
		Options:                options(),
	}
	input.Options.ExcludeResponseBody = x.bodyless
	return openapi3filter.ValidateResponse(x.req.Context(), input.SetBodyBytes(x.resBody))
}

// checkContentType requires the media type in the documented spelling, including charset, because some clients compare
// it as text (contract §2.3).
func (x exchange) checkContentType(documented *openapi3.Response) error {
	if (x.bodyless || len(documented.Content) == 0) && len(x.resBody) > 0 {
		return fmt.Errorf("status %d has no body here, but %d bytes came", x.res.StatusCode, len(x.resBody))
	}
	if len(documented.Content) == 0 {
		return nil
	}
	got := x.res.Header.Get("Content-Type")
	if documented.Content[got] == nil {
		return fmt.Errorf("content type %q is not documented for status %d", got, x.res.StatusCode)
	}
	return nil
}

// checkOrigin requires that browsers may read only the responses of paths for public keys and merchant tokens (contract
// §2.1).
func (x exchange) checkOrigin() error {
	open := x.res.Header.Get("Access-Control-Allow-Origin") != ""
	if open && len(browserMethods(x.route.PathItem)) == 0 {
		return errors.New("Access-Control-Allow-Origin is not for this path")
	}
	return nil
}

func (x exchange) checkJSON() error {
	if err := checkNumbers(x.resBody); err != nil {
		return err
	}
	if x.res.StatusCode < http.StatusBadRequest {
		return nil
	}
	return x.checkErrorForm()
}

// checkErrorForm checks an error body's form. Arrays and OAuth's errors exist only in the older form (contract §3.2).
func (x exchange) checkErrorForm() error {
	var problem struct {
		Status *int   `json:"status"`
		OAuth  string `json:"error"` // the schemas of other forms do not allow it
	}
	older := json.Unmarshal(x.resBody, &problem) != nil || problem.OAuth != ""
	if !older && (problem.Status == nil || *problem.Status != x.res.StatusCode) {
		return fmt.Errorf("the body's status is not %d", x.res.StatusCode)
	}
	want := jsonType
	if !older && acceptsProblem(x.req) {
		want = problemType
	}
	if got := x.res.Header.Get("Content-Type"); got != want {
		return fmt.Errorf("error sent as %q, but the client's Accept asks for %q", got, want)
	}
	return nil
}

func acceptsProblem(req *http.Request) bool {
	accept := strings.ToLower(strings.Join(req.Header.Values("Accept"), ","))
	return strings.Contains(accept, "application/problem+json")
}

// checkUnknownMethod checks an exchange on a known path with a method that the document does not list for the path.
func (c *Checker) checkUnknownMethod(req *http.Request, res *http.Response, resBody []byte) error {
	sibling := c.findSibling(req)
	switch {
	case req.Method == http.MethodHead && sibling.PathItem.Get != nil:
		return checkHead(sibling, req, res, resBody)
	case req.Method == http.MethodOptions && res.StatusCode == http.StatusNoContent:
		return checkPreflight(sibling.PathItem, res, resBody)
	case res.StatusCode == http.StatusMethodNotAllowed:
		return c.checkRefusal(sibling.PathItem, req, res, resBody)
	}
	return fmt.Errorf("no method %s for this path in the contract", req.Method)
}

// findSibling returns a route with the request's path and another method. There is one, because the router knows the
// path.
func (c *Checker) findSibling(req *http.Request) *routers.Route {
	probe := *req
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		probe.Method = method
		if route, _, err := c.router.FindRoute(&probe); err == nil {
			return route
		}
	}
	return &routers.Route{PathItem: &openapi3.PathItem{}}
}

// checkHead requires the response that the document gives for GET, but without the body (RFC 9110 §9.3.2).
func checkHead(get *routers.Route, req *http.Request, res *http.Response, resBody []byte) error {
	asGet := *req
	asGet.Method = http.MethodGet // the validator does not know HEAD
	x := exchange{route: get, req: &asGet, res: res, resBody: resBody, bodyless: true}
	if err := x.checkResponse(); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// checkPreflight requires a preflight to allow exactly the methods for public keys and merchant tokens (contract §2.1).
// The document does not list preflights, because browsers send them automatically.
func checkPreflight(item *openapi3.PathItem, res *http.Response, resBody []byte) error {
	want, got := browserMethods(item), methodsIn(res, "Access-Control-Allow-Methods")
	if len(want) == 0 {
		return errors.New("preflight accepted for a path that browsers may not use")
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("preflight opens %v, the contract %v", got, want)
	}
	if res.Header.Get("Access-Control-Allow-Origin") == "" || len(resBody) > 0 {
		return errors.New("preflight needs Access-Control-Allow-Origin and no body")
	}
	return nil
}

// checkRefusal checks the form of the error in a 405, and compares the Allow header with the document (contract §2.2).
func (c *Checker) checkRefusal(item *openapi3.PathItem, req *http.Request, res *http.Response, resBody []byte) error {
	want := slices.Sorted(maps.Keys(item.Operations()))
	if got := methodsIn(res, "Allow"); !slices.Equal(want, got) {
		return fmt.Errorf("response: Allow names %v, the contract %v", got, want)
	}
	documented := c.doc.Components.Responses["MethodNotAllowed"]
	route := &routers.Route{Spec: c.doc, PathItem: item, Operation: &openapi3.Operation{
		Responses: openapi3.NewResponses(openapi3.WithStatus(http.StatusMethodNotAllowed, documented)),
	}}
	x := exchange{route: route, req: req, res: res, resBody: resBody}
	if err := x.checkResponse(); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// methodsIn returns the methods in a header, sorted. It leaves out HEAD and OPTIONS, which servers support but no
// document lists.
func methodsIn(res *http.Response, header string) []string {
	var list []string
	for method := range strings.SplitSeq(res.Header.Get(header), ",") {
		switch method = strings.TrimSpace(method); method {
		case "", http.MethodHead, http.MethodOptions:
		default:
			list = append(list, method)
		}
	}
	slices.Sort(list)
	return list
}

// registerDecoders tells the validator that pages, scripts and YAML are texts. By default the validator knows JSON,
// problem+json, forms and plain text with any charset, and does not decode binary bodies. The registry of decoders is
// global.
var registerDecoders = sync.OnceFunc(func() {
	for _, media := range []string{"text/html", "text/markdown", "text/javascript", "application/yaml"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.PlainBodyDecoder)
	}
})

func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"))
}

// withoutNulls returns the body without null members of objects, because null for an optional field counts as absent
// (contract §2.2).
func withoutNulls(contentType string, body []byte) []byte {
	if !isJSON(contentType) {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	stripped, err := json.Marshal(stripNulls(value))
	if err != nil {
		return body
	}
	return stripped
}

func stripNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
				continue
			}
			value[name] = stripNulls(member)
		}
	case []any:
		for i := range value {
			value[i] = stripNulls(value[i])
		}
	}
	return value
}

// checkNumbers requires one JSON value whose numbers have no exponents, because clients parse money as decimal text
// (contract §2.4).
func checkNumbers(body []byte) error {
	if !json.Valid(body) {
		return errors.New("body is not one JSON value")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if number, ok := token.(json.Number); ok && strings.ContainsAny(number.String(), "eE") {
			return errors.New("a number has an exponent")
		}
	}
}

// setBody sets the request's body so that it can be read more than once.
func setBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	if len(body) == 0 {
		req.Body, req.GetBody = http.NoBody, nil
		return
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body = io.NopCloser(bytes.NewReader(body))
}
