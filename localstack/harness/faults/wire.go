package faults

import "net/http"

// Wire is a network under the AWS SDK, whose requests are steps.
type Wire struct {
	Steps
	Send func(*http.Request) (*http.Response, error) // carries a request without faults
}

// Do carries a request.
func (w *Wire) Do(r *http.Request) (*http.Response, error) {
	return w.AWS(RoundTrip(w.Send)).RoundTrip(r)
}

// Always returns a fault that happens to each request of an operation.
func Always(operation string, f Fault) func(string) Fault { return Times(-1, operation, f) }

// Times returns a fault that happens to the first n requests of an operation; to all if n is negative.
func Times(n int, operation string, f Fault) func(string) Fault {
	return func(op string) Fault {
		if n == 0 || op != operation {
			return None
		}
		n--
		return f
	}
}

// RoundTrip is an http.RoundTripper that is a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (send RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return send(r) }

// Instead returns a network in the place of another, such as that of callbacks.
func Instead(network http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(http.RoundTripper) http.RoundTripper { return network }
}

// Down is a network that carries nothing.
type Down struct{}

// Do fails with ErrNetwork.
func (Down) Do(*http.Request) (*http.Response, error) { return nil, ErrNetwork }
