// Package checker compares the traffic of tests with openapi.yaml. Call Check, or send requests through Transport. Only
// tests link the package and its validator.
package checker

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/cashwrap/cashwrap/shared/contract"
)

// Checker compares exchanges with openapi.yaml. It is safe for concurrent use.
type Checker struct {
	doc        *openapi3.T
	router     routers.Router
	operations []Operation
}

// New loads the document and returns its checker. It fails if Load fails, or if an operation has no x-scopes.
func New() (*Checker, error) {
	registerDecoders()
	doc, err := Load()
	if err != nil {
		return nil, err
	}
	list, err := readOperations(doc)
	if err != nil {
		return nil, fmt.Errorf("checker: %w", err)
	}
	// Tests listen on random ports, so only the path names the operation.
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("checker: %w", err)
	}
	return &Checker{doc: doc, router: router, operations: list}, nil
}

// Load returns a new copy of the document with its references resolved. Errors: invalid OpenAPI, or an example that
// breaks its schema.
func Load() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData([]byte(contract.OpenAPI()))
	if err != nil {
		return nil, fmt.Errorf("checker: load: %w", err)
	}
	if err := doc.Validate(loader.Context, openapi3.EnableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("checker: validate: %w", err)
	}
	return doc, nil
}

// Check compares an exchange with the document. Its error describes the difference.
//
// Check always compares the response: status, the exact media type, headers, body. It compares the request only if the
// request was accepted (a status below 400), because a test may send bad input on purpose. An unknown operation is an
// error. The exceptions are a refusal with 405, HEAD of a known GET, and the preflight of an operation for browsers.
// Check does not read the bodies in req and res. Errors quote no body values, because these may be card numbers.
func (c *Checker) Check(req *http.Request, reqBody []byte, res *http.Response, resBody []byte) error {
	route, params, err := c.router.FindRoute(req)
	if errors.Is(err, routers.ErrMethodNotAllowed) {
		return c.checkUnknownMethod(req, res, resBody)
	}
	if err != nil {
		return errors.New("no such path in the contract")
	}
	exchange := exchange{route: route, params: params, req: req, res: res, resBody: resBody}
	if err := exchange.checkResponse(); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	if res.StatusCode < http.StatusBadRequest {
		if err := exchange.checkRequest(reqBody); err != nil {
			return fmt.Errorf("accepted request: %w", err)
		}
	}
	return nil
}

// exchange is one request and its response, with the operation that they belong to.
type exchange struct {
	route   *routers.Route
	params  map[string]string
	req     *http.Request
	res     *http.Response
	resBody []byte

	bodyless bool // the response describes a body but has none, as after HEAD
}

// checkRequest compares an accepted request with the document.
func (x exchange) checkRequest(body []byte) error {
	req := x.req.Clone(x.req.Context())
	setBody(req, withoutNulls(req.Header.Get("Content-Type"), body))
	return openapi3filter.ValidateRequest(req.Context(), &openapi3filter.RequestValidationInput{
		Request:    req,
		PathParams: x.params,
		Route:      x.route,
		Options:    options(),
	})
}

// options returns the validator's options: credentials are not checked, and errors do not quote values.
func options() *openapi3filter.Options {
	return &openapi3filter.Options{
		AuthenticationFunc:      openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus:   true,
		SkipSettingDefaults:     true,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
	}
}

// Transport returns a transport that checks every exchange through next (nil: http.DefaultTransport) and passes
// differences to fail. It also checks redirects. Set CheckRedirect if redirects lead out of the service.
func (c *Checker) Transport(next http.RoundTripper, fail func(format string, args ...any)) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{checker: c, next: next, fail: fail}
}

type transport struct {
	checker *Checker
	next    http.RoundTripper
	fail    func(format string, args ...any)
}

// RoundTrip reads both bodies to their end.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	reqBody, err := drain(req.Body)
	if err != nil {
		return nil, err
	}
	// A RoundTripper must not change the caller's request.
	sent := req.Clone(req.Context())
	setBody(sent, reqBody)
	res, err := t.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	resBody, err := drain(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(resBody))
	if err := t.checker.Check(req, reqBody, res, resBody); err != nil {
		t.fail("against the contract: %s %s answered %d: %v", req.Method, req.URL.Path, res.StatusCode, err)
	}
	return res, nil
}

// drain reads and closes a body. A nil body is empty.
func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(body)
	return data, cmp.Or(err, body.Close())
}
