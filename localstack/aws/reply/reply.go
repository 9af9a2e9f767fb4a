// Package reply makes HTTP responses in the process that asked for them.
package reply

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// To returns the response to a request, as if a network had carried it.
func To(r *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// From has a handler, which must not change r's headers, answer in process. Errors: the request's body or context.
func From(h http.Handler, r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err // a socket would not have sent it either
	}
	served := *r
	sent := &body{ReadCloser: http.NoBody}
	if r.Body != nil {
		sent.ReadCloser = r.Body
	}
	defer sent.Close()
	served.Body = sent
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, &served)
	if sent.failed != nil {
		return nil, sent.failed
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return To(r, answer.Code, answer.Header(), answer.Body.Bytes()), nil
}

// body notes why a request's body could not be read.
type body struct {
	io.ReadCloser
	failed error
}

// Read reads from the body.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}
