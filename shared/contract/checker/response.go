package checker

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

const (
	jsonType    = "application/json;charset=UTF-8"
	problemType = "application/problem+json;charset=UTF-8"
)

// checkResponse adds what the validator does not check: undocumented statuses
// and media types, empty bodies, and rules that no schema can express.
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

// checkContentType requires the documented spelling, charset included: some
// clients compare the header as text (contract §2.3).
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

// checkOrigin keeps browsers away from all but the paths that a public key or merchant token
// may use (contract §2.1); which methods they may use there, the preflight says.
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

// checkErrorForm compares an error body with its status and with the form that
// the client asked for. Arrays, and errors of OAuth, have only the older form
// (contract §3.2).
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
