// Package reply answers HTTP requests within the process that sends them. An http.RoundTripper calls From to let an
// http.Handler answer, or To with a complete response.
package reply

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// To returns the response to a request as if it came over a network.
func To(r *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// From lets h answer a request in process. h must not change r's headers. From fails if reading the body fails or the
// context has ended.
func From(h http.Handler, r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err // a socket would not send the request either
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

// body keeps the error that reading a request's body returned.
type body struct {
	io.ReadCloser
	failed error
}

// Read reads from the request's body.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}
