package faults

import (
	"net/http"
	"sync"
)

// Wire is a network under the AWS SDK that lets faults happen to single
// requests. It is safe for concurrent use.
type Wire struct {
	Send func(*http.Request) (*http.Response, error) // carries a request without faults

	mu    sync.Mutex
	fault func(operation string) Fault
	calls map[string]int // by operation
}

// Calls is how many requests of an operation there have been, with those that a fault happened to.
func (w *Wire) Calls(operation string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[operation]
}

// Inject decides by its operation what happens to each request from now on:
// None, FailBefore, LoseReply, Throttle or Conflict; nil lets all succeed.
func (w *Wire) Inject(fault func(operation string) Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = fault
}

// Free does something within a call of Inject's function that uses the wire itself.
func (w *Wire) Free(do func()) {
	w.mu.Unlock()
	defer w.mu.Lock()
	do()
}

// Meanwhile does something when the n-th request of an operation is under way, before it arrives.
func (w *Wire) Meanwhile(operation string, n int, do func()) {
	w.Inject(func(op string) Fault {
		if op != operation {
			return None
		}
		if n--; n == 0 {
			w.Free(do)
		}
		return None
	})
}

// Do carries a request.
func (w *Wire) Do(r *http.Request) (*http.Response, error) {
	called, happens := Operation(r), None
	w.mu.Lock()
	if w.calls == nil {
		w.calls = map[string]int{}
	}
	w.calls[called]++
	if w.fault != nil {
		happens = w.fault(called)
	}
	w.mu.Unlock()
	return happens.carry(r, w.Send)
}

// Always is a fault that happens to each request of an operation.
func Always(operation string, f Fault) func(string) Fault {
	return func(op string) Fault {
		if op == operation {
			return f
		}
		return None
	}
}

// Times is a fault that happens to the first n requests of an operation.
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

// Instead is a network in the place of another, such as that of callbacks.
func Instead(network http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(http.RoundTripper) http.RoundTripper { return network }
}

// Down is a network that carries nothing.
type Down struct{}

// Do fails with ErrNetwork.
func (Down) Do(*http.Request) (*http.Response, error) { return nil, ErrNetwork }
