package acquirertest

import (
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var completeCases = []Case{
	{"Complete_EachAnswer", []string{
		"Acquirer.Complete: Complete takes the payer's answer to a challenge.",
		"Challenge: the payer must authenticate (3DS) or finish on a method's page",
	}, func(s *subject) {
		for _, r := range []Result{Ask, Redirect} {
			if _, ok := s.NewCharge(r); !ok && r == Redirect {
				continue
			}
			paid, refused := s.newCharge(r), s.newCharge(r)
			yes, no := s.challenge(paid, true), s.challenge(refused, false)
			s.expectAll(payments.Approved, completing(paid.ID, yes), completing(paid.ID, yes), lookingUp(paid.ID))
			s.expectAll(payments.Declined, completing(refused.ID, no), completing(refused.ID, no), lookingUp(refused.ID))
			s.expectCaptured(paid)
			s.expectNothing(refused.ID)
		}
	}},
	{"Complete_EmptyAnswer", []string{
		"Acquirer.Complete: An answer of \"\" says that the payer has come back by a link, which proves nothing: the " +
			"acquirer then returns the outcome that it knows.",
	}, func(s *subject) {
		c := s.newCharge(Ask)
		s.expectSame(s.expect(charging(c), payments.Challenge), completing(c.ID, ""))
		s.expectNothing(c.ID)
		s.expectSame(s.expect(completing(c.ID, s.challenge(c, true)), payments.Approved), completing(c.ID, ""))
		s.expectCaptured(c)
	}},
	{"Complete_BadAnswer", []string{
		"Acquirer.Complete: Errors: ErrUnknownCharge, ErrBadAnswer.",
		"ErrBadAnswer: ErrBadAnswer reports a payer's answer (PaRes) that the issuer did not make.",
	}, testBadAnswer},
	{"Complete_UnknownID", []string{
		"Acquirer.Complete: Errors: ErrUnknownCharge, ErrBadAnswer.",
	}, func(s *subject) {
		id := s.newCharge(Ask).ID
		s.expectError(acquirer.ErrUnknownCharge, completing(id, ""), completing(id, "forged"))
	}},
	{"Complete_Interrupted", []string{
		"package acquirer: So a call can be repeated after a crash or a lost reply, and the acquirer does not charge again.",
	}, func(s *subject) { s.eachInterruption(s.completeTrial) }},
	{"Complete_MeetsCancel", []string{
		"Acquirer.Cancel: Cancel prevents the charge from succeeding later.",
	}, func(s *subject) {
		s.eachMeeting(func() trial {
			x := s.completeTrial()
			x.other = x.cancel
			return x
		})
		s.eachMeeting(func() trial {
			x := s.completeTrial()
			x.call, x.other = x.cancel, x.call
			return x
		})
	}},
}

// testBadAnswer sends answers that the issuer did not make. The charge must stay challenged, so that the right answer
// is still good.
func testBadAnswer(s *subject) {
	c, other := s.newCharge(Ask), s.newCharge(Ask)
	s.expect(charging(c), payments.Challenge)
	answers := []string{"forged", c.ID}
	if of := s.challenge(other, true); of != "" {
		answers = append(answers, of, of[:len(of)-1])
	}
	for _, bad := range answers {
		s.expectError(acquirer.ErrBadAnswer, completing(c.ID, bad))
	}
	s.expectAll(payments.Challenge, lookingUp(c.ID))
	s.expectNothing(c.ID)
	s.expectAll(payments.Approved, completing(c.ID, s.challenge(c, true)))
	s.expectCaptured(c)
}

var cancelCases = []Case{
	{"Cancel_UnknownID", []string{
		"Acquirer.Cancel: After Cancel with an unknown id, the acquirer refuses a later charge with that id.",
		"Cancelled: will never be charged",
	}, func(s *subject) {
		for _, r := range []Result{Approve, Ask, Wait, NotTaken} {
			if c, ok := s.NewCharge(r); ok {
				c = s.name(c)
				s.expectAll(payments.Cancelled, cancelling(c.ID), charging(c), lookingUp(c.ID), cancelling(c.ID))
				s.expectNothing(c.ID)
			}
		}
	}},
	{"Cancel_WaitingPayer", []string{
		"Acquirer.Cancel: Cancel prevents the charge from succeeding later.",
	}, testCancelWaiting},
	{"Cancel_MeetsCharge", []string{
		"Acquirer.Cancel: It returns Cancelled only if no call for the id can succeed any more, not even a call that is " +
			"running or that arrives later.",
	}, func(s *subject) {
		for _, r := range []Result{Approve, Decline, Ask} {
			s.eachMeeting(func() trial {
				x := chargeTrial(s.newCharge(r))
				x.other = x.cancel
				return x
			})
			s.eachMeeting(func() trial {
				x := chargeTrial(s.newCharge(r))
				x.call, x.other = x.cancel, x.call
				return x
			})
		}
	}},
	{"Cancel_Interrupted", []string{
		"Acquirer.Cancel: It returns Cancelled only if no call for the id can succeed any more, not even a call that is " +
			"running or that arrives later.",
	}, func(s *subject) {
		s.eachInterruption(func() trial {
			x := chargeTrial(s.newCharge(Approve))
			x.call = x.cancel
			return x
		})
		s.eachInterruption(func() trial {
			x := s.completeTrial()
			x.call = x.cancel
			return x
		})
	}},
	{"CancelRefund_UnknownID", []string{
		"Acquirer.CancelRefund: CancelRefund prevents the refund from being made later.",
		"Acquirer.CancelRefund: After CancelRefund with an unknown id, the acquirer answers a later refund with that id " +
			"with Cancelled or Declined.",
		"Acquirer: Only a cancelled refund may later be Declined (CancelRefund).",
	}, testCancelRefundAhead},
	{"CancelRefund_MeetsRefund", []string{
		"Acquirer.CancelRefund: It returns Cancelled, or the final outcome if the refund was decided before, or " +
			"OutcomeUnknown while the refund is pending.",
	}, func(s *subject) {
		s.eachMeeting(func() trial {
			_, r := s.newRefund(Approve)
			x := refundTrial(r)
			x.other = x.cancel
			return x
		})
		s.eachMeeting(func() trial {
			_, r := s.newRefund(Approve)
			x := refundTrial(r)
			x.call, x.other = x.cancel, x.call
			return x
		})
	}},
	{"CancelRefund_Interrupted", []string{
		"Acquirer.CancelRefund: CancelRefund prevents the refund from being made later.",
	}, func(s *subject) {
		s.eachInterruption(func() trial {
			_, r := s.newRefund(Approve)
			x := refundTrial(r)
			x.call = x.cancel
			return x
		})
	}},
}

// testCancelWaiting cancels charges that wait for their payers. A later answer or payment must not charge.
func testCancelWaiting(s *subject) {
	c := s.newCharge(Ask)
	yes := s.challenge(c, true)
	if o := s.must(s.First, cancelling(c.ID)); o.Decision == payments.Cancelled {
		s.expectAll(payments.Cancelled, completing(c.ID, yes), lookingUp(c.ID))
		s.expectNothing(c.ID)
	}
	for _, r := range []Result{Ask, Redirect, Code} {
		if w, ok := s.NewCharge(r); ok {
			w = s.name(w)
			s.must(s.First, charging(w))
			s.expectAll(payments.Cancelled, cancelling(w.ID), charging(w), lookingUp(w.ID))
			if r == Code && s.Pay(s.Context(), w.ID) == nil {
				s.Fatalf("got no error of the payment of a cancelled code, want one")
			}
			s.expectAll(payments.Cancelled, completing(w.ID, ""))
			s.expectNothing(w.ID)
		}
	}
}

// testCancelRefundAhead cancels a refund before it is requested. The charge's money must stay for other refunds.
func testCancelRefundAhead(s *subject) {
	c, r := s.newRefund(Approve)
	for range 2 {
		s.expectAll(payments.Cancelled, cancellingRefund(r.ID))
		for _, a := range s.processes() {
			if o := s.must(a, refunding(r)); o.Decision != payments.Cancelled && o.Decision != payments.Declined {
				s.Fatalf("got %s for a cancelled refund, want it cancelled or declined", o.Decision)
			}
		}
	}
	s.expectMoved(c.ID, acquirer.RefundMovement, money.Amount{})
	r.ID, r.Amount = uuid.NewString(), c.Amount
	s.expectAll(payments.Approved, refunding(r))
	s.expectMoved(c.ID, acquirer.RefundMovement, c.Amount)
}
