// Package linear checks that clients' views are linearizable: each request took effect at one point in time between its
// start and its answer. Fill a history and call its Check.
//
// SettingsHistory is about a merchant's settings (contract §7.2). Clients must see the settings as the last change left
// them. RecordHistory is about roles, members and API keys (contract §8); it checks each record separately. History is
// about one transaction's refunds, which the platform serialises (contract §6.4): at no point was more reserved than
// had been captured. A refund takes effect at one point, where its money is reserved. If the acquirer does not make the
// refund, the money is released at a second point. A request without an answer may take effect at any later time, or
// never.
package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Answer is a kind of answer to a client.
type Answer int

// The answers.
const (
	Unknown   Answer = iota // no answer, or an answer without information about the refund
	Made                    // 204, 201: the refund is made or in progress
	Refused                 // 409, 422: more than was left, or the acquirer declined
	NotTaken                // 424: the acquirer did not take the refund
	ShowsLeft               // a read, or a refusal that names the rest
)

func (a Answer) String() string {
	return [...]string{"unknown", "made", "refused", "not taken", "shows"}[a]
}

// Never is the return time of a request without an answer.
const Never = math.MaxInt64

// Request is one request on a transaction, as its client saw it. Amounts are in minor units. Call and Return are times
// of one clock that never goes back. Requests at the same time count as concurrent.
type Request struct {
	Group  string // requests of one group are idempotent retries: they ask for one refund (Idempotency-Key)
	Amount int64  // requested amount; 0 refunds the whole rest
	Firm   bool   // its money is never released, as for a chargeback
	Answer Answer
	Rest   int64 // amount left to refund, for ShowsLeft
	Call   int64
	Return int64
}

func (r Request) String() string {
	if r.Group == "" {
		return fmt.Sprintf("%s read: %d left", span(r.Call, r.Return), r.Rest)
	}
	left := ""
	if r.Answer == ShowsLeft {
		left = fmt.Sprintf(" that %d is left", r.Rest)
	}
	return fmt.Sprintf("%s %s asks for %d: %s%s", span(r.Call, r.Return), r.Group, r.Amount, r.Answer, left)
}

func span(call, until int64) string {
	if until == Never {
		return fmt.Sprintf("[%d, …]", call)
	}
	return fmt.Sprintf("[%d, %d]", call, until)
}

// History contains the clients' views of one transaction.
type History struct {
	Captured   int64
	Declinable func(amount int64) bool // returns true if the acquirer may decline such a refund
	Requests   []Request
}

// Errors of Check.
var (
	ErrNotLinear = errors.New("linear: no order of these requests explains their answers")
	ErrTooLong   = errors.New("linear: the history is too long to be checked")
)

// checkTime limits the search, which is exponential in the worst case. The limit is long for the sake of busy machines.
const checkTime = 5 * time.Minute

// Check finds an order that explains the answers. Errors: ErrNotLinear, ErrTooLong.
func (h History) Check() error {
	m := model{History: h}
	for _, r := range h.Requests {
		if !slices.Contains(m.groups, r.Group) {
			m.groups = append(m.groups, r.Group)
		}
	}
	if len(h.Requests) > maxRequests || len(m.groups) > maxRequests {
		return fmt.Errorf("%w: %d requests", ErrTooLong, len(h.Requests))
	}
	return conclude(porcupine.CheckOperationsTimeout(m.porcupine(), m.operations(), checkTime),
		fmt.Sprintf("%d were captured\n%s", h.Captured, h.list()))
}

// request is a request about a state. Each answer shows the whole state.
type request[State comparable] interface {
	String() string
	times() (call, until int64)
	// step gets the state before the request. It returns true if the answer fits that state. It also returns the state
	// after the request. If a change without an answer never took effect, the order has this change last, after every
	// observation.
	step(now State) (fits bool, after State)
}

// check finds an order of the requests that explains all answers. Errors: ErrNotLinear, ErrTooLong.
func check[State comparable, R request[State]](begin State, requests []R) error {
	operations, lines := make([]porcupine.Operation, len(requests)), make([]string, len(requests))
	for i, r := range requests {
		call, until := r.times()
		operations[i] = porcupine.Operation{ClientId: i, Input: r, Call: call, Return: until}
		lines[i] = span(call, until) + " " + r.String()
	}
	model := porcupine.Model{
		Init: func() any { return begin },
		Step: func(now, r, _ any) (bool, any) { return r.(R).step(now.(State)) },
	}
	return conclude(porcupine.CheckOperationsTimeout(model, operations, checkTime),
		fmt.Sprintf("it begins as %+v\n%s", begin, strings.Join(lines, "\n")))
}

func conclude(result porcupine.CheckResult, history string) error {
	switch result {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return fmt.Errorf("%w: no result after %v", ErrTooLong, checkTime)
	default:
		return fmt.Errorf("%w: %s", ErrNotLinear, history)
	}
}

func (h History) list() string {
	lines := make([]string, len(h.Requests))
	for i, r := range h.Requests {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}
