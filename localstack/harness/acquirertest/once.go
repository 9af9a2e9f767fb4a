package acquirertest

import (
	"errors"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// isUnknown returns true if a call found no charge, or no outcome.
func isUnknown(o payments.Outcome, err error) bool {
	return errors.Is(err, acquirer.ErrUnknownCharge) || err == nil && o.Decision == payments.OutcomeUnknown
}

var onceCases = []Case{
	{"Charge_Interrupted", []string{
		"package acquirer: So a call can be repeated after a crash or a lost reply, and the acquirer does not charge again.",
		"ErrNotTaken: After any other error the outcome is unknown.",
	}, func(s *subject) {
		s.eachInterruption(func() trial { return chargeTrial(s.newCharge(Approve)) })
		s.eachInterruption(func() trial { return chargeTrial(s.newCharge(Decline)) })
	}},
	{"Charge_MeetsCharge", []string{
		"Acquirer.Charge: If the acquirer creates a charge in several steps, only the call that recorded the id may " +
			"confirm the charge.",
		"Acquirer.Charge: Any other call for that id, at the same time or after a lost reply, only reads the outcome.",
	}, func(s *subject) {
		s.eachMeeting(func() trial {
			x := chargeTrial(s.newCharge(Approve))
			x.other = x.call
			return x
		})
	}},
	{"Charge_MeetsLookUp", []string{
		"Acquirer.LookUp: Before the acquirer has been asked to move money, LookUp returns ErrUnknownCharge or " +
			"OutcomeUnknown; a charge that is still running may succeed after either answer.",
	}, func(s *subject) {
		s.eachMeeting(func() trial {
			x := chargeTrial(s.newCharge(Approve))
			x.other = lookingUp(x.id)
			return x
		})
	}},
	{"Charge_Concurrently", []string{
		"Acquirer: Calls may come at the same time, more than once, and from several processes.",
		"Acquirer.Charge: So two calls never charge twice.",
	}, func(s *subject) {
		s.meetAtOnce(chargeTrial(s.newCharge(Approve)))
		x := chargeTrial(s.newCharge(Approve))
		x.other = cancelling(x.id)
		s.meetAtOnce(x)
	}},
	{"Charge_CallerGivesUp", []string{
		"Acquirer: A caller may give up on a call at any time; the acquirer may still act on that call.",
	}, giveUp},
	{"Refund_Interrupted", []string{
		"Acquirer.Refund: Errors: ErrNotTaken; after any other error the outcome is unknown.",
	}, func(s *subject) {
		s.eachInterruption(func() trial {
			_, r := s.newRefund(Approve)
			return refundTrial(r)
		})
	}},
	{"Refund_MeetsRefund", []string{
		"Refund: ID is the idempotency key, as in a Charge.",
	}, func(s *subject) {
		s.eachMeeting(func() trial {
			_, r := s.newRefund(Approve)
			x := refundTrial(r)
			x.other = x.call
			return x
		})
	}},
	{"Refund_MeetsOtherRefund", []string{
		"Acquirer.Refund: Refund returns money of an approved charge to the payer.",
	}, testTwoRefunds},
	{"Refund_Concurrently", []string{
		"Acquirer.Refund: Refund may be repeated.",
	}, func(s *subject) {
		_, r := s.newRefund(Approve)
		s.meetAtOnce(refundTrial(r))
		_, r = s.newRefund(Approve)
		x := refundTrial(r)
		x.other = cancellingRefund(r.ID)
		s.meetAtOnce(x)
	}},
}

// testTwoRefunds lets a refund of the whole charge come before each request of another such refund. The charge has
// money for one refund only.
func testTwoRefunds(s *subject) {
	s.eachRequest(func(n int) func(bool) {
		c, first := s.newRefund(Approve)
		first.Amount = c.Amount
		second := first
		second.ID = uuid.NewString()
		x, other := refundTrial(first), refundTrial(second)
		met := answer{Outcome: payments.Outcome{Decision: payments.OutcomeUnknown}}
		s.Steps.Meanwhile("", n, func() { met = other.call.ask(s.Context(), s.Second) })
		a := x.call.ask(s.Context(), s.First)
		return func(bool) {
			one, two := s.settle(x), s.settle(other)
			if (one.Decision == payments.Approved) == (two.Decision == payments.Approved) || !x.agrees(a, one) ||
				!other.agrees(met, two) {
				s.Fatalf("before request %d: got %s and %s, want one refund approved", n, one.Decision, two.Decision)
			}
			s.expectMoved(c.ID, acquirer.RefundMovement, c.Amount)
		}
	})
}
