package faults

import (
	"context"
	"net/http"
	"sync"
)

// Plannable are the faults that Steps can let happen.
var Plannable = []Fault{FailBefore, LoseReply, Throttle, Conflict, DieAfter}

// Steps counts the I/O steps of one process, to the table, the queues and
// the acquirer alike, and lets a fault happen at one of them. It is safe for
// concurrent use.
type Steps struct {
	mu    sync.Mutex
	at    int // the step that fails, from 1; 0: none
	fault Fault
	from  int // the write to the table from which all lose their replies; 0: none
	meets int // so many transactions conflict; negative: all
	taken []string
	wrote int // how many of taken are writes to the table
	gone  bool
	lasts Latency // of each step that is a call to AWS

	meanwhile func() // what happens before step at; nil: nothing, or it has happened
}

// Slow has each call to AWS take its time from now on.
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

// Plan makes the n-th step from now on fail; 0 lets all succeed.
func (s *Steps) Plan(n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.fault, s.from, s.meets, s.taken, s.wrote, s.gone, s.meanwhile = n, fault, 0, 0, nil, 0, false, nil
}

// Meanwhile lets something else happen just before the n-th step from now on, if that is a call to AWS: what another
// process does at that moment.
func (s *Steps) Meanwhile(n int, do func()) {
	s.Plan(n, None)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meanwhile = do
}

// happen lets happen what is due before the step that was counted last.
func (s *Steps) happen() {
	s.mu.Lock()
	do := s.meanwhile
	if len(s.taken) != s.at {
		do = nil
	}
	if do != nil {
		s.meanwhile = nil
	}
	s.mu.Unlock()
	if do != nil {
		do()
	}
}

// PlanLostWrites makes all writes to the table lose their replies, however often
// they are repeated, from the n-th write from now on.
func (s *Steps) PlanLostWrites(n int) {
	s.Plan(0, None)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = n
}

// PlanConflicts makes the next transactions meet others in flight: so many, or all if many is negative.
func (s *Steps) PlanConflicts(many int) {
	s.Plan(0, None)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meets = many
}

// isWrite are the operations that change items.
var isWrite = map[string]bool{"PutItem": true, "UpdateItem": true, "DeleteItem": true, "TransactWriteItems": true}

// isRead are operations of AWS that change nothing. A process that dies after a read leaves the same as a process that
// dies after the step before.
var isRead = map[string]bool{"GetItem": true, "BatchGetItem": true, "TransactGetItems": true, "Query": true,
	"Scan": true, "GetObject": true, "HeadObject": true, "ListBucketVersions": true}

// Distinct returns the plannable faults that differ in effect at a step, FailBefore first. The SDK repeats a read that
// loses its reply or is throttled as it repeats a read that fails, so the last stands for all three. Only a death has
// the process handle a read without an answer. A conflict outside a transaction is a throttled call.
func Distinct(step string) []Fault {
	switch {
	case step == "TransactWriteItems":
		return Plannable
	case isRead[step]:
		return []Fault{FailBefore, DieAfter}
	default:
		return []Fault{FailBefore, LoseReply, Throttle, DieAfter}
	}
}

// Taken names the steps taken since the last Plan.
func (s *Steps) Taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.taken...)
}

// Wrote counts the writes to the table among the steps since the last Plan.
func (s *Steps) Wrote() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrote
}

// Gone reports whether the process has died.
func (s *Steps) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// next counts a step and says what happens to it. Error: ErrGone.
func (s *Steps) next(name string) (Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return None, ErrGone
	}
	s.taken = append(s.taken, name)
	if isWrite[name] {
		if s.wrote++; s.from > 0 && s.wrote >= s.from {
			return LoseReply, nil
		}
	}
	if s.meets != 0 && name == "TransactWriteItems" {
		s.meets--
		return Conflict, nil
	}
	if len(s.taken) != s.at {
		return None, nil
	}
	if s.fault == DieAfter {
		s.gone = true
	}
	return s.fault, nil
}

// Carry makes a call to a counterparty one step. With Throttle and Conflict the
// counterparty certainly did nothing.
func (s *Steps) Carry(ctx context.Context, c Call) error {
	fault, err := s.next(c.Name)
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

// AWS makes each call to AWS one step.
func (s *Steps) AWS(next http.RoundTripper) http.RoundTripper { return awsSteps{next, s} }

type awsSteps struct {
	next  http.RoundTripper
	steps *Steps
}

// RoundTrip is one step.
func (a awsSteps) RoundTrip(r *http.Request) (*http.Response, error) {
	fault, err := a.steps.next(Operation(r))
	if err != nil {
		return nil, err
	}
	a.steps.happen()
	return fault.carry(r, a.steps.latency().Over(a.next).RoundTrip)
}
