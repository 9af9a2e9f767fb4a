package faults

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
)

// Plannable lists the faults that Steps can cause.
var Plannable = []Fault{FailBefore, LoseReply, Throttle, Conflict, DieAfter}

// Steps counts one process's calls to table, queues and acquirer, and makes them fail. It is safe for concurrent use.
type Steps struct {
	mu    sync.Mutex
	fault func(operation string) Fault // returns the fault of the next step; nil: none
	taken []string
	gone  bool
	lasts Latency // of each call to AWS
}

// Slow delays each call to AWS from now on.
func (s *Steps) Slow(l Latency) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lasts = l
}

func (s *Steps) latency() Latency {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lasts
}

// Inject sets a function that chooses each step's fault from now on, by its operation. With nil all steps succeed.
func (s *Steps) Inject(fault func(operation string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Free calls do without the lock. The function given to Inject needs this when do takes steps itself.
func (s *Steps) Free(do func()) {
	s.mu.Unlock()
	defer s.mu.Lock()
	do()
}

func (s *Steps) restart(fault func(operation string) Fault) {
	s.Inject(fault)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken, s.gone = nil, false
}

// Plan makes the n-th step from now on fail. With 0 all steps succeed.
func (s *Steps) Plan(n int, fault Fault) {
	s.restart(func(string) Fault {
		if n--; n == 0 {
			return fault
		}
		return None
	})
}

// Meanwhile runs do just before the n-th further step of an operation ("" for any), as another process might.
func (s *Steps) Meanwhile(operation string, n int, do func()) {
	s.restart(func(op string) Fault {
		if operation != "" && op != operation {
			return None
		}
		if n--; n == 0 {
			s.Free(do)
		}
		return None
	})
}

// Writes lists the operations that change items.
var Writes = []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}

// reads lists AWS operations that change nothing. Death after a read has the same effect as death before it.
var reads = []string{"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "GetObject", "HeadObject",
	"ListBucketVersions"}

// Distinct returns the plannable faults that differ in effect at a step, FailBefore first. The SDK repeats a read in
// the same way whether it failed, lost its reply or was throttled. Only death leaves a process without an answer. A
// conflict outside a transaction is a throttled call.
func Distinct(step string) []Fault {
	switch {
	case step == "TransactWriteItems":
		return Plannable
	case slices.Contains(reads, step):
		return []Fault{FailBefore, DieAfter}
	default:
		return []Fault{FailBefore, LoseReply, Throttle, DieAfter}
	}
}

// Taken returns the names of the steps since the last Plan or Meanwhile.
func (s *Steps) Taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taken)
}

// Calls counts the steps of operations since the last Plan or Meanwhile. Steps with a fault count too.
func (s *Steps) Calls(operations ...string) int {
	return len(slices.DeleteFunc(s.Taken(), func(name string) bool { return !slices.Contains(operations, name) }))
}

// Gone returns true if the process has died.
func (s *Steps) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// takeStep counts a step and returns its fault. Error: ErrGone.
func (s *Steps) takeStep(name string) (Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return None, ErrGone
	}
	s.taken = append(s.taken, name)
	if s.fault == nil {
		return None, nil
	}
	fault := s.fault(name)
	s.gone = s.gone || fault == DieAfter
	return fault, nil
}

// Carry makes a call to a counterparty as one step. With Throttle and Conflict the counterparty has done nothing.
func (s *Steps) Carry(ctx context.Context, c counterparty.Call) error {
	fault, err := s.takeStep(c.Name)
	if err != nil {
		return err
	}
	switch fault {
	case FailBefore:
		return ErrNetwork
	case Throttle, Conflict:
		return c.NotTaken
	}
	_, err = c.Send(ctx)
	if fault == LoseReply || fault == DieAfter {
		return ErrNetwork
	}
	return err
}

// AWS returns a network that makes each call to AWS one step.
func (s *Steps) AWS(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		fault, err := s.takeStep(sdkcall.Operation(r))
		if err != nil {
			return nil, err
		}
		return fault.carry(r, s.latency().Over(next).RoundTrip)
	})
}
