package contract

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

var methods = []string{
	http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut,
}

// checkUnknownMethod deals with a known path and a method it does not have:
// only 405 with the right Allow header (contract §2.2), or a preflight.
func (c *Checker) checkUnknownMethod(req *http.Request, res *http.Response, resBody []byte) error {
	if req.Method == http.MethodOptions && req.Header.Get("Access-Control-Request-Method") != "" {
		return c.checkPreflight(req, res, resBody)
	}
	if res.StatusCode != http.StatusMethodNotAllowed {
		return fmt.Errorf("no method %s for this path in the contract", req.Method)
	}
	want, got := c.allowed(req), allowHeader(res)
	if !slices.Equal(want, got) {
		return fmt.Errorf("response: Allow names %v, the contract %v", got, want)
	}
	refusal := c.doc.Components.Responses["MethodNotAllowed"]
	route := &routers.Route{Spec: c.doc, Operation: &openapi3.Operation{
		Responses: openapi3.NewResponses(openapi3.WithStatus(http.StatusMethodNotAllowed, refusal)),
	}}
	exchange := exchange{route: route, req: req, res: res, resBody: resBody}
	if err := exchange.checkResponse(); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// checkPreflight accepts a preflight of an operation that public keys may use.
// Preflights are no operations of their own: clients never send them by hand.
func (c *Checker) checkPreflight(req *http.Request, res *http.Response, resBody []byte) error {
	route := c.find(req, req.Header.Get("Access-Control-Request-Method"))
	if route == nil || !allowsPublicKey(route.Operation) {
		if res.StatusCode < http.StatusBadRequest {
			return errors.New("preflight accepted for an operation that browsers may not use")
		}
		return nil
	}
	if res.StatusCode != http.StatusNoContent || len(resBody) > 0 {
		return fmt.Errorf("preflight answered %d with %d bytes instead of 204 without body", res.StatusCode, len(resBody))
	}
	if res.Header.Get("Access-Control-Allow-Origin") == "" {
		return errors.New("preflight answered without Access-Control-Allow-Origin")
	}
	return nil
}

// allowed lists the methods the document has for the request's path.
func (c *Checker) allowed(req *http.Request) []string {
	var list []string
	for _, method := range methods {
		if c.find(req, method) != nil {
			list = append(list, method)
		}
	}
	return list
}

// find is the operation of a method on the request's path, nil if none.
func (c *Checker) find(req *http.Request, method string) *routers.Route {
	probe := *req
	probe.Method = method
	route, _, err := c.router.FindRoute(&probe)
	if err != nil {
		return nil
	}
	return route
}

// allowHeader is the Allow header's methods, sorted, without those that HTTP
// servers add by themselves.
func allowHeader(res *http.Response) []string {
	var list []string
	for method := range strings.SplitSeq(res.Header.Get("Allow"), ",") {
		switch method = strings.TrimSpace(method); method {
		case "", http.MethodHead, http.MethodOptions:
		default:
			list = append(list, method)
		}
	}
	slices.Sort(list)
	return list
}
