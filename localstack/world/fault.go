package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Fault is what happens to one I/O step of a process.
type Fault int

// The faults.
const (
	NoFault    Fault = iota
	FailBefore       // the call never leaves; the caller sees a network error
	LoseReply        // the call is done, but the caller sees a network error
	Throttle         // the service refuses with a throttling error
	Conflict         // the service cancels a transaction for a conflict; Throttle where there is none
	Crash            // the call is done, and the process is gone
)

func (f Fault) String() string {
	return [...]string{"none", "fail-before", "lose-reply", "throttle", "conflict", "crash"}[f]
}

// Faults are all of them.
var Faults = []Fault{FailBefore, LoseReply, Throttle, Conflict, Crash}

// errNetwork is what a caller sees of a lost call. The SDK retries it.
var errNetwork = errors.New("world: connection reset by peer")

// errGone is what a dead process would see, could it see anything.
var errGone = errors.New("world: the process is gone")

// Steps counts the I/O steps of one process, to the table, the queues and
// the acquirer alike, and lets a fault happen at one of them. It is safe for
// concurrent use.
type Steps struct {
	mu    sync.Mutex
	at    int // the step that fails, from 1; 0: none
	fault Fault
	taken []string
	gone  bool
}

// Plan makes the n-th step from now on fail.
func (s *Steps) Plan(n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.fault, s.taken, s.gone = n, fault, nil, false
}

// Taken names the steps taken since the last Plan.
func (s *Steps) Taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.taken...)
}

// Gone says the process has crashed.
func (s *Steps) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// next counts a step and says what happens to it.
func (s *Steps) next(name string) (Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return NoFault, errGone
	}
	s.taken = append(s.taken, name)
	if len(s.taken) != s.at {
		return NoFault, nil
	}
	if s.fault == Crash {
		s.gone = true
	}
	return s.fault, nil
}

// faulty carries AWS calls and lets the steps' fault happen to them.
type faulty struct {
	next  http.RoundTripper
	steps *Steps
}

// RoundTrip is one step.
func (f faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	operation := r.Header.Get("X-Amz-Target")
	fault, err := f.steps.next(operation[strings.LastIndex(operation, ".")+1:])
	if err != nil {
		return nil, err
	}
	switch fault {
	case FailBefore:
		return nil, errNetwork
	case Throttle:
		return refusal(r, "ThrottlingException", ""), nil
	case Conflict:
		if !strings.HasSuffix(operation, "TransactWriteItems") {
			return refusal(r, "ThrottlingException", ""), nil
		}
		return refusal(r, "TransactionCanceledException", `,"CancellationReasons":[{"Code":"TransactionConflict"}]`), nil
	}
	response, err := f.next.RoundTrip(r)
	if err == nil && (fault == LoseReply || fault == Crash) {
		_ = response.Body.Close()
		return nil, errNetwork
	}
	return response, err
}

// refusal is an error answer of the AWS JSON 1.0 protocol.
func refusal(r *http.Request, code, extra string) *http.Response {
	body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"injected"%s}`, code, extra)
	return &http.Response{
		Status: "400 Bad Request", StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r,
	}
}
