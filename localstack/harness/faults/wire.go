package faults

import "net/http"

// Wire is a network below the AWS SDK. Each request counts as one step.
type Wire struct {
	Steps
	Send func(*http.Request) (*http.Response, error) // sends a request without faults
}

// Do sends a request as one step.
func (w *Wire) Do(r *http.Request) (*http.Response, error) {
	return w.AWS(RoundTrip(w.Send)).RoundTrip(r)
}

// Always returns a function for Inject. The function gives the fault to each request of the operation.
func Always(operation string, f Fault) func(string) Fault { return Times(-1, operation, f) }

// Times returns a function for Inject. The function gives the fault to the first n requests of the operation, or to all
// if n is negative.
func Times(n int, operation string, f Fault) func(string) Fault {
	return func(op string) Fault {
		if n == 0 || op != operation {
			return None
		}
		n--
		return f
	}
}

// RoundTrip is a function that implements http.RoundTripper.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (send RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return send(r) }

// Instead returns a function that replaces any network by the given one, for example the network of callbacks.
func Instead(network http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(http.RoundTripper) http.RoundTripper { return network }
}

// Down is a network that fails every request.
type Down struct{}

// Do fails with ErrNetwork.
func (Down) Do(*http.Request) (*http.Response, error) { return nil, ErrNetwork }
