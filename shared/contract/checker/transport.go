package checker

import (
	"bytes"
	"io"
	"net/http"
)

// Transport checks every exchange that passes through next (nil means
// http.DefaultTransport) and reports differences to fail, typically t.Errorf.
// The exchange itself is unchanged. A client that follows redirects sends them
// through here too; set CheckRedirect where they lead out of the service.
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

// RoundTrip implements http.RoundTripper. It reads both bodies whole.
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

// drain reads and closes a body; nil is empty.
func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(body)
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	return data, err
}
