// Package linear checks that what clients saw is linearizable: each request took
// effect at one point in time between its being sent and its answer.
//
// SettingsHistory is of a merchant's settings (contract §7.2), which are shown as the last change left them.
// RecordHistory is of roles, members and API keys (contract §8), each of them alone. History is of one transaction's
// refunds (contract §6.4: they are serialised): at no point was more reserved than had been captured. A refund has two
// such points: its money is reserved, and, should the acquirer not make it, given back. A request without an answer may
// take effect at any later time, or never.
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
	Unknown   Answer = iota // none, or one that says nothing about the refund
	Made                    // 204, 201: the refund is made or under way
	Refused                 // 409, 422: more than was left, or the acquirer declined
	NotTaken                // 424: the acquirer did not take it
	ShowsLeft               // a read, or a refusal that says what is left
)

func (a Answer) String() string {
	return [...]string{"unknown", "made", "refused", "not taken", "shows"}[a]
}

// Never is the return of a request that was not answered.
const Never = math.MaxInt64

// Request is one request on a transaction, as its client saw it. Amounts are in minor units. Call and Return are of one
// clock that never goes back; requests at the same time count as concurrent.
type Request struct {
	Group  string // requests of one group ask for the same refund once (Idempotency-Key)
	Amount int64  // asked for; 0: all that is left
	Firm   bool   // never given back: a chargeback
	Answer Answer
	Rest   int64 // with ShowsLeft, what is left to refund
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

// History is all that clients saw of one transaction.
type History struct {
	Captured   int64
	Declinable func(amount int64) bool // the acquirer may decline such a refund
	Requests   []Request
}

// Errors of Check.
var (
	ErrNotLinear = errors.New("linear: no order of these requests explains their answers")
	ErrTooLong   = errors.New("linear: the history is too long to be checked")
)

const checkTime = 20 * time.Second // bounds the search, which is exponential in the worst case

// Check finds an order that explains the answers. Errors: ErrNotLinear, ErrTooLong.
func (h History) Check() error {
	m := model{History: h}
	for _, r := range h.Requests {
		if !slices.Contains(m.groups, r.Group) {
			m.groups = append(m.groups, r.Group)
		}
	}
	if len(h.Requests) > most || len(m.groups) > most {
		return fmt.Errorf("%w: %d requests", ErrTooLong, len(h.Requests))
	}
	return conclude(porcupine.CheckOperationsTimeout(m.porcupine(), m.operations(), checkTime),
		fmt.Sprintf("%d were captured\n%s", h.Captured, h.list()))
}

// request is a request about a state that clients are shown whole.
type request[State comparable] interface {
	String() string
	times() (call, until int64)
	// step returns the state after the request, and whether the answer fits the state before. A change without an
	// answer that never takes effect may as well come last, after all that was seen.
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
