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

// Steps counts one process's calls to the table, the queues and the acquirer, and can make them fail. It is safe for
// concurrent use.
type Steps struct {
	mu    sync.Mutex
	fault func(operation string) Fault // returns the fault of the next step; nil means no faults
	taken []string
	gone  bool
	lasts Latency // duration of each call to AWS
}

// Slow delays each later call to AWS.
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

// Inject sets the function that chooses the fault of each later step, by the step's operation. With nil all steps
// succeed.
func (s *Steps) Inject(fault func(operation string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Free calls the function do while the lock is released. A function given to Inject uses Free if its own calls take
// steps.
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

// Plan makes the n-th step from now on fail. If n is 0, all steps succeed.
func (s *Steps) Plan(n int, fault Fault) {
	s.restart(func(string) Fault {
		if n--; n == 0 {
			return fault
		}
		return None
	})
}

// Meanwhile calls the function do just before the n-th later step of an operation ("" means any operation). do acts
// like another process at that time.
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

// reads lists AWS operations that change nothing. A death after a read has the same effect as a death before the read.
var reads = []string{"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "GetObject", "HeadObject",
	"ListBucketVersions"}

// Distinct returns the plannable faults that have different effects at a step, with FailBefore first. The SDK repeats a
// failed read, a read with a lost reply, and a throttled read in the same way. Only a death leaves the process without
// the answer to a read. Outside a transaction, Conflict has the same effect as Throttle.
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

// Carry makes a call to a counterparty as one step. With the faults Throttle and Conflict the counterparty has done
// nothing.
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

// AWS returns a network that passes calls to next. Each call to AWS counts as one step.
func (s *Steps) AWS(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		fault, err := s.takeStep(sdkcall.Operation(r))
		if err != nil {
			return nil, err
		}
		return fault.carry(r, s.latency().Over(next).RoundTrip)
	})
}
