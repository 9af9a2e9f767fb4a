package checker

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// complaints collects the differences that a transport reports.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// echo answers every request with the sample's response, and records the body of the request.
func echo(t *testing.T, s *sample, received *string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*received = string(body)
		for name, values := range s.resHeader {
			w.Header()[name] = values
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.resBody)
	}))
	t.Cleanup(server.Close)
	return server
}

// send posts the sample's request through a checked client.
func send(t *testing.T, s *sample) (received, answer string, reported []string) {
	t.Helper()
	server := echo(t, s, &received)
	var reports complaints
	client := &http.Client{Transport: sharedChecker(t).Transport(server.Client().Transport, reports.fail)}
	// The transport must not need GetBody. A request whose reader has an unknown type has no GetBody.
	req, err := http.NewRequest(s.method, server.URL+s.path, io.MultiReader(strings.NewReader(s.reqBody)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", s.reqType)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return received, string(body), reports.list
}

func TestTransport_GoodExchange(t *testing.T) {
	t.Parallel()
	s := newSample(t, "POST", "/v0.1/checkouts", 201, "CreatedCheckout").body(createBody)
	received, answer, reported := send(t, s)
	if len(reported) > 0 {
		t.Errorf("got reports %q, want none", reported)
	}
	if received != s.reqBody {
		t.Errorf("at the server: got %q, want %q", received, s.reqBody)
	}
	if answer != s.resBody {
		t.Errorf("at the client: got %q, want %q", answer, s.resBody)
	}
}

func TestTransport_BadExchange(t *testing.T) {
	t.Parallel()
	s := newSample(t, "POST", "/v0.1/checkouts", 200, "CreatedCheckout").body(createBody)
	_, answer, reported := send(t, s)
	const want = "POST /v0.1/checkouts answered 200: response: status 200 is not documented"
	if len(reported) != 1 || !strings.Contains(reported[0], want) {
		t.Errorf("got reports %q, want one with %q in it", reported, want)
	}
	if answer != s.resBody {
		t.Errorf("at the client: got %q, want %q", answer, s.resBody)
	}
}

func TestTransport_NetworkError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var reports complaints
	client := &http.Client{Transport: sharedChecker(t).Transport(nil, reports.fail)}
	res, err := client.Get(server.URL + "/healthz")
	if err == nil {
		_ = res.Body.Close()
		t.Fatalf("got %s from a closed server, want an error", res.Status)
	}
	if len(reports.list) > 0 {
		t.Errorf("got reports %q, want none", reports.list)
	}
}
