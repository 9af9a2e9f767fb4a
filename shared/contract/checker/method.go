package checker

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// checkUnknownMethod checks an exchange on a known path with a method that the
// document does not list for it.
func (c *Checker) checkUnknownMethod(req *http.Request, res *http.Response, resBody []byte) error {
	sibling := c.sibling(req)
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

// sibling is a route of the request's path with another method. There is one,
// or the router had not found the path.
func (c *Checker) sibling(req *http.Request) *routers.Route {
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

// checkHead requires what GET documents, without the body (RFC 9110 §9.3.2).
func checkHead(get *routers.Route, req *http.Request, res *http.Response, resBody []byte) error {
	asGet := *req
	asGet.Method = http.MethodGet // the validator knows no HEAD
	x := exchange{route: get, req: &asGet, res: res, resBody: resBody, bodyless: true}
	if err := x.checkResponse(); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// checkPreflight requires a preflight to allow exactly the methods that public
// keys and merchant tokens may use (contract §2.1). Preflights are not operations of the
// document: browsers send them by themselves.
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

// checkRefusal checks a 405's error shape, and its Allow header against the
// document (contract §2.2).
func (c *Checker) checkRefusal(item *openapi3.PathItem, req *http.Request, res *http.Response, resBody []byte) error {
	var want []string
	for method := range item.Operations() {
		want = append(want, method)
	}
	slices.Sort(want)
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

// methodsIn lists a header's methods, sorted, without those that no document
// lists because every HTTP server has them.
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
