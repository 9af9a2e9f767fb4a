package world

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
)

// Request is one HTTP request as a client sends it. Body is JSON, or a form
// when it is url.Values.
type Request struct {
	Method, Path string
	Body         any
	APIKey       string            // "": the merchant's
	Header       map[string]string // more headers
	Unchecked    bool              // not of the contract: an unknown address
}

// NoKey is the APIKey of a request without one.
const NoKey = "-"

// Response is what came back.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON reads the body as an object.
func (r Response) JSON() map[string]any {
	var object map[string]any
	_ = json.Unmarshal(r.Body, &object)
	return object
}

// Into reads the body into v.
func (r Response) Into(v any) error { return json.Unmarshal(r.Body, v) }

// Text is a string member of the body, by its dot path.
func (r Response) Text(path string) string {
	var at any = r.JSON()
	for name := range strings.SplitSeq(path, ".") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	text, _ := at.(string)
	return text
}

// Do sends a request to the world's main process.
func (w *World) Do(r Request) Response {
	w.Helper()
	return w.main.Do(r)
}

// AtOnce sends a request many times at the same time, and counts the answers by
// their status.
func (w *World) AtOnce(many int, r Request) map[int]int {
	statuses := make([]int, many)
	var running sync.WaitGroup
	for i := range many {
		running.Go(func() { statuses[i] = w.Do(r).Status })
	}
	running.Wait()
	counted := map[int]int{}
	for _, status := range statuses {
		counted[status]++
	}
	return counted
}

// Do sends a request, and holds it and the response to the contract.
func (p *Process) Do(r Request) Response {
	p.world.Helper()
	request := p.newRequest(r)
	transport := http.RoundTripper(roundTripper(p.serve))
	if !r.Unchecked {
		check, err := checker()
		if err != nil {
			p.world.Fatal(err)
		}
		transport = check.Transport(transport, p.world.Errorf)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		p.world.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.world.Fatal(err)
	}
	return Response{Status: response.StatusCode, Header: response.Header, Body: body}
}

func (p *Process) newRequest(r Request) *http.Request {
	body, contentType := encode(p.world, r.Body)
	request := httptest.NewRequestWithContext(p.world.Context(), r.Method, p.Environment()["BASE_URL"]+r.Path,
		bytes.NewReader(body))
	request.RequestURI = ""
	request.Header.Set("Content-Type", contentType)
	switch r.APIKey {
	case "":
		request.Header.Set("Authorization", "Bearer "+p.world.Merchant.Key.Plaintext)
	case NoKey:
	default:
		request.Header.Set("Authorization", "Bearer "+r.APIKey)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	return request
}

func encode(w *World, body any) ([]byte, string) {
	switch b := body.(type) {
	case nil:
		return nil, "application/json"
	case url.Values:
		return []byte(b.Encode()), "application/x-www-form-urlencoded"
	case string:
		return []byte(b), "application/json"
	default:
		text, err := json.Marshal(b)
		if err != nil {
			w.Fatal(err)
		}
		return text, "application/json"
	}
}

// serve answers through the gateway, as API Gateway would.
func (p *Process) serve(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	p.Handler().ServeHTTP(recorder, r)
	response := recorder.Result()
	response.Request = r
	return response, nil
}
