// Package acquirertest tests the rules of the port to acquirers (acquirer.Acquirer). The tests of each acquirer call
// Run. Each case quotes the sentences of the port that it tests.
package acquirertest

import (
	"context"
	"fmt"
	"net/textproto"
	"runtime"
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Result is the course that a case needs a charge or refund to take.
type Result string

// The results. Every acquirer must be able to approve, decline and challenge a charge, and to approve a refund. Cases
// that need another result are skipped if the acquirer cannot have it.
const (
	Approve  Result = "approve"
	Decline  Result = "decline"
	Forbid   Result = "forbid" // declined, and the issuer forbids further charges of the card
	Ask      Result = "ask"    // challenged by 3-D Secure
	Redirect Result = "redirect"
	Code     Result = "code"     // a voucher
	Wait     Result = "wait"     // the outcome stays unknown until Peer.Settle, which approves
	NotTaken Result = "not take" // answered with ErrNotTaken
	Wallet   Result = "wallet"   // approved with GooglePay
	Reader   Result = "reader"   // approved at a terminal
)

// Peer is an acquirer under test. It has no charges at first.
type Peer struct {
	First  acquirer.Acquirer // the process under test
	Second acquirer.Acquirer // another process with the same records
	Steps  *faults.Steps     // carries each request of First to a table or to the acquirer's API, and none of Second
	Clock  *clock.Clock      // time of both processes

	// NewCharge returns a charge, without its ID, that has the result. false: the acquirer has no such charges.
	NewCharge func(Result) (acquirer.Charge, bool)
	// NewRefund returns an approved charge, without its ID, and the amount of a refund that has the result.
	NewRefund func(Result) (acquirer.Charge, money.Amount, bool)
	// Answer acts as the payer who gives in to a challenge or refuses, and returns the answer for Complete.
	Answer func(ctx context.Context, id string, challenge payments.Outcome, pays bool) (string, error)
	// Pay acts as the payer who pays the code of a voucher. It fails if the code cannot be paid any more.
	Pay func(ctx context.Context, id string) error
	// Settle approves the charge or refund with the id, which is pending. The next call for the id returns Approved.
	Settle func(ctx context.Context, id string) error
	// ChargeBack acts as the issuer, who takes money of the charge back under the acquirer's id. nil: cannot be tested.
	ChargeBack func(ctx context.Context, chargeID, id string, amount money.Amount) error
	// Notify returns the header and the body of the acquirer's notice about the hint.
	Notify func(acquirer.Hint) (textproto.MIMEHeader, []byte, error)
	// Moved returns the sums that moved for a charge by the acquirer's own books. Both processes may have moved them.
	Moved func(ctx context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error)
}

// Case tests rules of the port.
type Case struct {
	Name  string
	Rules []string // sentences of the port, each with the name of the documented thing before it
	check func(*subject)
}

// Cases returns all cases.
func Cases() []Case {
	var all []Case
	for _, some := range [][]Case{chargeCases, onceCases, completeCases, cancelCases, refundCases, cardCases, outcomeCases,
		statementCases, settlementCases, noticeCases} {
		all = append(all, some...)
	}
	return all
}

// Run runs all cases. open returns a new peer.
func Run(t *testing.T, open func(testing.TB) Peer) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

func (c Case) run(r reporter, p Peer) {
	s := &subject{reporter: r, Peer: p, charges: map[string]bool{}}
	c.check(s)
	s.checkBooks()
}

// FirstFailure runs the case and returns its first failure; "" if the case passes or is skipped.
func (c Case) FirstFailure(ctx context.Context, p Peer) string {
	r := &recorder{ctx: ctx}
	done := make(chan struct{})
	go func() { //nolint:contextcheck // the recorder has the context
		defer close(done)
		c.run(r, p)
	}()
	<-done
	return r.failure
}

// reporter has the methods of testing.TB that cases use. Fatalf and Skipf end the case's goroutine.
type reporter interface {
	Context() context.Context
	Helper()
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

type recorder struct {
	ctx     context.Context
	failure string
}

func (r *recorder) Context() context.Context { return r.ctx }
func (*recorder) Helper()                    {}
func (*recorder) Skipf(string, ...any)       { runtime.Goexit() }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// subject is a peer in one case.
type subject struct {
	reporter
	Peer
	charges map[string]bool // ids of all charges that the case may have requested
}

// newCharge returns a charge with the result under a new id. It skips the case if the acquirer has no such charges.
func (s *subject) newCharge(r Result) acquirer.Charge {
	s.Helper()
	c, ok := s.NewCharge(r)
	if !ok {
		s.lack(r)
	}
	return s.name(c)
}

// name gives the charge a new id.
func (s *subject) name(c acquirer.Charge) acquirer.Charge {
	c.ID = uuid.NewString()
	s.charges[c.ID] = true
	return c
}

// newRefund makes an approved charge, and returns a refund of it that has the result.
func (s *subject) newRefund(r Result) (acquirer.Charge, acquirer.Refund) {
	s.Helper()
	c, amount, ok := s.NewRefund(r)
	if !ok {
		s.lack(r)
	}
	c = s.name(c)
	s.expect(charging(c), payments.Approved)
	return c, acquirer.Refund{ID: uuid.NewString(), ChargeID: c.ID, Amount: amount}
}

// lack skips the case, or fails if every acquirer must have the result.
func (s *subject) lack(r Result) {
	s.Helper()
	if r == Approve || r == Decline || r == Ask {
		s.Fatalf("got no charge or refund to %s, want one", r)
	}
	s.Skipf("the acquirer has no charge or refund to %s", r)
}
