// Package client calls the API as a merchant's server (Client), the pages as a payer's browser (Browser), and provision
// as an operator (Invoke). Requests go over the network, or by Handler to a platform in the same process.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
)

// Request is one HTTP request to the API.
type Request struct {
	Method, Path   string // Path is a path with its query, or a whole URL
	APIKey         string // may be ""
	IdempotencyKey string // may be ""
	Header         map[string]string
	From           string // client's network address, as a Handler sees it; "" means 192.0.2.1
	// Body is url.Values for a form, or a string of literal JSON. Any other value is encoded as JSON.
	Body any
}

// HTTP returns the request to the API at a base URL. It fails if Body cannot be encoded as JSON or Path is invalid.
func (r Request) HTTP(ctx context.Context, baseURL string) (*http.Request, error) {
	body, contentType, err := r.encode()
	if err != nil {
		return nil, err
	}
	target := r.Path
	if strings.HasPrefix(target, "/") {
		target = baseURL + target
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.RemoteAddr = r.From
	if r.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+r.APIKey)
	}
	if r.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	return request, nil
}

func (r Request) encode() (body []byte, contentType string, err error) {
	const asJSON = "application/json"
	switch b := r.Body.(type) {
	case nil:
		return nil, asJSON, nil
	case url.Values:
		return []byte(b.Encode()), "application/x-www-form-urlencoded", nil
	case string:
		return []byte(b), asJSON, nil
	default:
		body, err = json.Marshal(b)
		return body, asJSON, err
	}
}

// Response is the response to a Request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body as an object.
func (r Response) JSON() map[string]any {
	var object map[string]any
	_ = json.Unmarshal(r.Body, &object)
	return object
}

// Into decodes the body into v.
func (r Response) Into(v any) error { return json.Unmarshal(r.Body, v) }

// Text returns a string in the body at a dot-separated path, or "".
func (r Response) Text(path string) string {
	var at any = r.JSON()
	for name := range strings.SplitSeq(path, ".") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	text, _ := at.(string)
	return text
}

// Client sends requests to the API at a base URL.
type Client struct {
	BaseURL   string
	Transport http.RoundTripper // nil uses the network
}

// Do sends a request and reads the whole response. It does not follow redirects.
func (c Client) Do(ctx context.Context, r Request) (Response, error) {
	request, err := r.HTTP(ctx, c.BaseURL)
	if err != nil {
		return Response{}, err
	}
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Response{response.StatusCode, response.Header, body}, err
}

// Handler sends requests to an HTTP API in this process.
type Handler struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (h Handler) RoundTrip(r *http.Request) (*http.Response, error) {
	arrived := r.Clone(r.Context())
	arrived.RemoteAddr = cmp.Or(r.RemoteAddr, "192.0.2.1:1234") // reserved for documentation (RFC 5737)
	if r.URL.Scheme == "https" {
		arrived.TLS = &tls.ConnectionState{}
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, arrived)
	response := recorder.Result()
	response.Request = r
	return response, nil
}
