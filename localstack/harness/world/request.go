package world

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// Request is one HTTP request to the platform. If it has no APIKey, it uses the merchant's key.
type Request = client.Request

// Response is the platform's answer.
type Response = client.Response

// NoKey is the value of APIKey for a request without a key.
const NoKey = "-"

// Do sends a request to the world's main process.
func (w *World) Do(r Request) Response {
	w.Helper()
	return w.main.Do(r)
}

// DoConcurrently sends a request many times at the same time, and counts the answers by their status.
func (w *World) DoConcurrently(many int, r Request) map[int]int {
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

// Want fails the test unless the response has the status.
func (w *World) Want(what string, status int, got Response) {
	w.Helper()
	if got.Status != status {
		w.Errorf("%s: got %d %s, want %d", what, got.Status, got.Body, status)
	}
}

// Must ends the test unless the response has the status, and returns the response.
func (w *World) Must(status int, got Response) Response {
	w.Helper()
	if got.Status != status {
		w.Fatalf("got %d %s, want %d", got.Status, got.Body, status)
	}
	return got
}

// ShownNow returns the platform's present time with the precision that responses show.
func (w *World) ShownNow() time.Time { return w.Clock.Now().Truncate(time.Millisecond) }

// Do sends a request, and checks the request and the response against the contract.
func (p *Process) Do(r Request) Response {
	p.world.Helper()
	check, err := sharedChecker()
	p.world.must(err)
	return p.send(r, check.Transport(client.Handler{Handler: p.Handler()}, p.world.Errorf))
}

// Checked returns a handler for other clients, such as a browser. It checks requests and responses like Do.
func (p *Process) Checked() http.Handler {
	p.world.Helper()
	check, err := sharedChecker()
	p.world.must(err)
	base, err := url.Parse(p.Environment()["BASE_URL"])
	p.world.must(err)
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(base)
			r.Out = r.Out.WithContext(context.WithoutCancel(r.In.Context())) // a function finishes, as with API Gateway
			r.Out.Host = r.In.Host
		},
		Transport: check.Transport(client.Handler{Handler: p.Handler()}, p.world.Errorf),
	}
}

// DoUnchecked sends a request without checks against the contract, such as a request to an unknown address.
func (p *Process) DoUnchecked(r Request) Response {
	p.world.Helper()
	return p.send(r, client.Handler{Handler: p.Handler()})
}

func (p *Process) send(r Request, transport http.RoundTripper) Response {
	p.world.Helper()
	switch r.APIKey {
	case "":
		r.APIKey = p.world.Merchant.Key.Plaintext
	case NoKey:
		r.APIKey = ""
	}
	api := client.Client{BaseURL: p.Environment()["BASE_URL"], Transport: transport}
	response, err := api.Do(p.world.Context(), r)
	if err != nil {
		p.world.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	return response
}
