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
	w.mu.Lock()
	happens := None
	if w.fault != nil {
		happens = w.fault(operation(r))
	}
	w.mu.Unlock()
	return happens.carry(r, w.Send)
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

// Down is a network that carries nothing.
type Down struct{}

// Do fails with ErrNetwork.
func (Down) Do(*http.Request) (*http.Response, error) { return nil, ErrNetwork }
