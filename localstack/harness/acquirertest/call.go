package acquirertest

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// call is a call of one process about one charge or refund.
type call func(context.Context, acquirer.Acquirer) (payments.Outcome, error)

func charging(c acquirer.Charge) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) { return a.Charge(ctx, c) }
}

func lookingUp(id string) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) { return a.LookUp(ctx, id) }
}

func completing(id, answer string) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) {
		return a.Complete(ctx, id, answer)
	}
}

func cancelling(id string) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) { return a.Cancel(ctx, id) }
}

func refunding(r acquirer.Refund) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) { return a.Refund(ctx, r) }
}

func cancellingRefund(id string) call {
	return func(ctx context.Context, a acquirer.Acquirer) (payments.Outcome, error) {
		return a.CancelRefund(ctx, id)
	}
}

// processes returns both processes of the acquirer.
func (s *subject) processes() []acquirer.Acquirer { return []acquirer.Acquirer{s.First, s.Second} }

// must makes the call by a process and fails the case if the call fails.
func (s *subject) must(a acquirer.Acquirer, c call) payments.Outcome {
	s.Helper()
	o, err := c(s.Context(), a)
	if err != nil {
		s.Fatalf("got error %v, want an outcome", err)
	}
	return o
}

// expect makes the call by the first process, expects the decision, and returns the outcome.
func (s *subject) expect(c call, want payments.Decision) payments.Outcome {
	s.Helper()
	o := s.must(s.First, c)
	if o.Decision != want {
		s.Fatalf("got %s, want %s", o.Decision, want)
	}
	return o
}

// expectAll makes each call by both processes, and expects the decision each time.
func (s *subject) expectAll(want payments.Decision, calls ...call) {
	s.Helper()
	for i, c := range calls {
		for _, a := range s.processes() {
			if o := s.must(a, c); o.Decision != want {
				s.Fatalf("call %d: got %s, want %s", i, o.Decision, want)
			}
		}
	}
}

// expectSame makes each call by both processes, and expects the outcome each time.
func (s *subject) expectSame(want payments.Outcome, calls ...call) {
	s.Helper()
	for i, c := range calls {
		for _, a := range s.processes() {
			if diff := cmp.Diff(want, s.must(a, c), cmpopts.EquateComparable(money.Amount{})); diff != "" {
				s.Fatalf("call %d: got another outcome (-want +got):\n%s", i, diff)
			}
		}
	}
}

// expectError makes the call by both processes, and expects the error each time.
func (s *subject) expectError(want error, calls ...call) {
	s.Helper()
	for i, c := range calls {
		for _, a := range s.processes() {
			if o, err := c(s.Context(), a); !errors.Is(err, want) {
				s.Fatalf("call %d: got %s, %v, want error %v", i, o.Decision, err, want)
			}
		}
	}
}

// expectPending makes the first call of a charge or refund that stays pending. The call may also return an error.
func (s *subject) expectPending(c call) {
	s.Helper()
	o, err := c(s.Context(), s.First)
	if err == nil && o.Decision != payments.OutcomeUnknown || errors.Is(err, acquirer.ErrNotTaken) {
		s.Fatalf("got %s, %v, want an unknown outcome", o.Decision, err)
	}
}

// challenge requests a charge that is challenged or redirected. It returns the charge and the payer's answer.
func (s *subject) challenge(c acquirer.Charge, pays bool) string {
	s.Helper()
	o := s.expect(charging(c), payments.Challenge)
	answer, err := s.Answer(s.Context(), c.ID, o, pays)
	if err != nil {
		s.Fatalf("got error %v of the payer's answer, want none", err)
	}
	return answer
}

// moved returns the sum that moved for a charge; the zero amount if nothing did.
func (s *subject) moved(chargeID string, k acquirer.Kind) money.Amount {
	s.Helper()
	sums, err := s.Moved(s.Context(), chargeID)
	if err != nil {
		s.Fatalf("got error %v of the books, want none", err)
	}
	if sums[k].IsZero() {
		return money.Amount{}
	}
	return sums[k]
}

// expectMoved checks the sum that moved for a charge. The zero amount means that nothing moved.
func (s *subject) expectMoved(chargeID string, k acquirer.Kind, want money.Amount) {
	s.Helper()
	if got := s.moved(chargeID, k); got != want {
		s.Fatalf("got a %s of %q, want %q", k, got, want)
	}
}

// expectCaptured checks that the charge was captured once.
func (s *subject) expectCaptured(c acquirer.Charge) {
	s.Helper()
	s.expectMoved(c.ID, acquirer.CaptureMovement, c.Amount)
}

// expectNothing checks that no money moved for the charge.
func (s *subject) expectNothing(chargeID string) {
	s.Helper()
	s.expectMoved(chargeID, acquirer.CaptureMovement, money.Amount{})
}

// readLines returns the lines of a process's statement.
func (s *subject) readLines(a acquirer.Acquirer, since time.Time) []acquirer.Movement {
	s.Helper()
	var lines []acquirer.Movement
	for m, err := range a.Statement(s.Context(), since) {
		if err != nil {
			s.Fatalf("got error %v of the statement, want none", err)
		}
		lines = append(lines, m)
	}
	return lines
}

// checkBooks checks that the statement's sums equal the sums that moved, and that no other charge has lines. Lines of
// no single charge have their own case. Every case ends with this check.
func (s *subject) checkBooks() {
	s.Helper()
	lines := map[string]map[acquirer.Kind]money.Amount{}
	for _, m := range s.readLines(s.Second, time.Time{}) {
		if m.Kind.Sign() != 0 && !m.Kind.OfCharge() {
			continue
		}
		if !s.charges[m.ChargeID] || m.Amount.Sign() <= 0 {
			s.Fatalf("got the line %+v, want lines of the case's charges with amounts above 0", m)
		}
		of := lines[m.ChargeID]
		if of == nil {
			of = map[acquirer.Kind]money.Amount{}
			lines[m.ChargeID] = of
		}
		sum, err := money.Zero(m.Amount.Currency()).Add(m.Amount)
		if before, ok := of[m.Kind]; ok {
			sum, err = before.Add(m.Amount)
		}
		if err != nil {
			s.Fatalf("got error %v of the line %+v, want lines in the charge's currency", err, m)
		}
		of[m.Kind] = sum
	}
	for id := range s.charges {
		moved, err := s.Moved(s.Context(), id)
		if err != nil || !maps.Equal(moved, lines[id]) {
			s.Fatalf("got the lines %v, %v, want what moved, %v", lines[id], err, moved)
		}
	}
}
