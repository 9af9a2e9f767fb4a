package checker

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// checkerOnce returns a checker that all tests share, because loading the document takes long.
var checkerOnce = sync.OnceValues(New)

func sharedChecker(t *testing.T) *Checker {
	t.Helper()
	checker, err := checkerOnce()
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

// sample is an exchange that the checker accepts until a test spoils it.
type sample struct {
	method, path string
	reqType      string
	reqHeader    http.Header
	reqBody      string
	status       int
	resHeader    http.Header
	resBody      string
}

const checkoutPath = "/v0.1/checkouts/4e425463-3e1b-431d-83fa-1e51c2925e99"

// newSample returns a sample. The parameter example names an example of the document, which becomes the response body.
// If example is empty or contains {, [ or <, example itself is the body.
func newSample(t *testing.T, method, path string, status int, example string) *sample {
	t.Helper()
	s := &sample{
		method: method, path: path, status: status, resBody: example,
		reqType: "application/json", reqHeader: http.Header{}, resHeader: http.Header{},
	}
	if !strings.ContainsAny(example, "{[<") && example != "" {
		s.resBody = exampleBody(t, example)
	}
	s.resHeader.Set("X-Request-Id", "9f2c1d7e-6a5b-4c3d-8e2f-1a0b9c8d7e6f")
	s.resHeader.Set("RateLimit-Policy", `"default";q=500;w=5`)
	s.resHeader.Set("RateLimit", `"default";r=499;t=5`)
	if s.resBody != "" {
		s.resHeader.Set("Content-Type", jsonType)
	}
	return s
}

// exampleBody returns the document's example with the name, in the form in which it is sent: a text unchanged, and any
// other value as JSON.
func exampleBody(t *testing.T, name string) string {
	t.Helper()
	ref := loadDocument(t).Components.Examples[name]
	if ref == nil {
		t.Fatalf("got no example %s in the document, want one", name)
	}
	if text, ok := ref.Value.Value.(string); ok {
		return text
	}
	data, err := json.Marshal(ref.Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// form changes the request to a form that a browser posts, and the response to a page.
func (s *sample) form(body string) *sample {
	s.reqType, s.reqBody = "application/x-www-form-urlencoded", body
	if s.resBody != "" {
		s.resHeader.Set("Content-Type", "text/html;charset=UTF-8")
	}
	return s
}

func (s *sample) body(body string) *sample { s.reqBody = body; return s }

func (s *sample) header(name, value string) *sample {
	s.resHeader.Set(name, value)
	return s
}

// deprecated adds the headers that the deprecated operations of contract §2.10 have.
func (s *sample) deprecated() *sample {
	s.resHeader.Set("Deprecation", "@1582934400")
	s.resHeader.Set("Link", `<https://api.shop.example/v2.1/merchants/MC1/transactions>; rel="successor-version"`)
	return s
}

func (s *sample) accept(types string) *sample {
	s.reqHeader.Set("Accept", types)
	return s
}

// replace replaces a text in the response body. The body must contain the text.
func (s *sample) replace(t *testing.T, old, new string) {
	t.Helper()
	if !strings.Contains(s.resBody, old) {
		t.Fatalf("got body %s, want %s in it", s.resBody, old)
	}
	s.resBody = strings.Replace(s.resBody, old, new, 1)
}

func (s *sample) check(c *Checker) error {
	req := httptest.NewRequest(s.method, "http://127.0.0.1:4711"+s.path, strings.NewReader(s.reqBody))
	req.Header.Set("Content-Type", s.reqType)
	maps.Copy(req.Header, s.reqHeader)
	res := &http.Response{StatusCode: s.status, Header: s.resHeader}
	return c.Check(req, []byte(s.reqBody), res, []byte(s.resBody))
}

// expect fails unless err contains want, or is nil if want is empty.
func expect(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got error %v, want none", err)
	case want != "" && err == nil:
		t.Errorf("got no error, want %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("got error %v, want %q in it", err, want)
	}
}
