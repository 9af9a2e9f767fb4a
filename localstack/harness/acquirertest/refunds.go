package acquirertest

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var refundCases = []Case{
	{"Refund_Repeated", []string{
		"Acquirer.Refund: For a known id it returns that refund's outcome: Approved, Declined, OutcomeUnknown, or " +
			"Cancelled after CancelRefund.",
		"Acquirer.Refund: Refund may be repeated.",
		"package acquirer: Every call is idempotent by our id.",
	}, testRefundRepeated},
	{"Refund_OtherFields", []string{
		"Refund: ID is the idempotency key, as in a Charge.",
	}, func(s *subject) {
		c, r := s.newRefund(Approve)
		first := s.expect(refunding(r), payments.Approved)
		other := r
		other.Amount = c.Amount
		s.expectSame(first, refunding(other))
		other.ChargeID = uuid.NewString()
		s.expectSame(first, refunding(other))
		s.expectMoved(c.ID, acquirer.RefundMovement, r.Amount)
	}},
	{"Refund_MoreThanCaptured", []string{
		"Acquirer.Refund: Refund returns money of an approved charge to the payer.",
	}, testRefundTooMuch},
	{"Refund_ChargeNotApproved", []string{
		"Acquirer.Refund: Refund returns money of an approved charge to the payer.",
	}, func(s *subject) {
		for _, result := range []Result{Decline, Ask} {
			c := s.newCharge(result)
			s.must(s.First, charging(c))
			s.expectRefused(acquirer.Refund{ID: uuid.NewString(), ChargeID: c.ID, Amount: c.Amount})
		}
		c := s.newCharge(Approve)
		s.expectRefused(acquirer.Refund{ID: uuid.NewString(), ChargeID: c.ID, Amount: c.Amount})
		s.expectAll(payments.Cancelled, cancelling(c.ID))
		s.expectRefused(acquirer.Refund{ID: uuid.NewString(), ChargeID: c.ID, Amount: c.Amount})
	}},
	{"Refund_NotTaken", []string{
		"Acquirer.Refund: Errors: ErrNotTaken; after any other error the outcome is unknown.",
		"ErrNotTaken: No money has moved, and none will move.",
	}, func(s *subject) {
		c, r := s.newRefund(NotTaken)
		s.expectError(acquirer.ErrNotTaken, refunding(r))
		s.Clock.Advance(24 * time.Hour)
		s.expectMoved(c.ID, acquirer.RefundMovement, money.Amount{})
	}},
	{"Refund_Pending", []string{
		"Acquirer.CancelRefund: It returns Cancelled, or the final outcome if the refund was decided before, or " +
			"OutcomeUnknown while the refund is pending.",
	}, func(s *subject) {
		c, r := s.newRefund(Wait)
		s.expectPending(refunding(r))
		s.expectAll(payments.OutcomeUnknown, refunding(r), cancellingRefund(r.ID))
		if err := s.Settle(s.Context(), r.ID); err != nil {
			s.Fatalf("got error %v when it settled, want none", err)
		}
		s.expectAll(payments.Approved, refunding(r), cancellingRefund(r.ID))
		s.expectMoved(c.ID, acquirer.RefundMovement, r.Amount)
	}},
}

func testRefundRepeated(s *subject) {
	c, r := s.newRefund(Approve)
	first := s.expect(refunding(r), payments.Approved)
	s.expectSame(first, refunding(r), cancellingRefund(r.ID), refunding(r))
	s.expectMoved(c.ID, acquirer.RefundMovement, r.Amount)
	if _, _, ok := s.NewRefund(Decline); ok {
		c, r = s.newRefund(Decline)
		s.expectSame(s.expect(refunding(r), payments.Declined), refunding(r), cancellingRefund(r.ID))
		s.expectMoved(c.ID, acquirer.RefundMovement, money.Amount{})
	}
}

// testRefundTooMuch refunds more than the charge has left, at first and after a refund of a part.
func testRefundTooMuch(s *subject) {
	c, r := s.newRefund(Approve)
	cent := money.Smallest(c.Amount.Currency())
	more := r
	more.ID = uuid.NewString()
	more.Amount = money.FromMinor(c.Amount.Minor()+cent.Minor(), c.Amount.Currency())
	s.expectRefused(more)
	s.expectMoved(c.ID, acquirer.RefundMovement, money.Amount{})
	s.expect(refunding(r), payments.Approved)
	rest := r
	rest.ID, rest.Amount = uuid.NewString(), money.FromMinor(c.Amount.Minor()-r.Amount.Minor(), c.Amount.Currency())
	s.expect(refunding(rest), payments.Approved)
	rest.ID, rest.Amount = uuid.NewString(), cent
	s.expectRefused(rest)
	s.expectMoved(c.ID, acquirer.RefundMovement, c.Amount)
}

// expectRefused requests a refund that must not be made.
func (s *subject) expectRefused(r acquirer.Refund) {
	s.Helper()
	before := s.moved(r.ChargeID, acquirer.RefundMovement)
	for _, a := range s.processes() {
		o, err := a.Refund(s.Context(), r)
		if err == nil && o.Decision != payments.Declined || err != nil && !errors.Is(err, acquirer.ErrNotTaken) {
			s.Fatalf("got %s, %v, want the refund declined or not taken", o.Decision, err)
		}
	}
	s.expectMoved(r.ChargeID, acquirer.RefundMovement, before)
}
