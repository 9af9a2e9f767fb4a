package stripetest

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var errNotPayable = errors.New("stand-in: it cannot be paid")

// Answer acts as the payer on the page of a challenge or method. The payer comes back by a link, without an answer.
func (s *StandIn) Answer(_ context.Context, _ string, o payments.Outcome, pays bool) (string, error) {
	_, err := s.Decide(o.Step.URL, pays)
	return "", err
}

// Decide acts as the payer on a page of Stripe's, and returns the link by which the payer comes back.
func (s *StandIn) Decide(page string, pays bool) (back string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	intent := s.Objects[path.Base(page)]
	switch {
	case intent["status"] != "requires_action":
		return "", errNotPayable
	case pays:
		s.succeed(intent, Object{"electronic_commerce_indicator": "05", "result": "authenticated"})
	default:
		s.decline(intent, Object{"type": "invalid_request_error", "code": "payment_intent_authentication_failure"})
	}
	back, _ = intent["return_url"].(string)
	return back, nil
}

// Pay acts as the payer who pays the code of a voucher.
func (s *StandIn) Pay(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.Find("attempt", id, "requires_action")
	if o == nil {
		return errNotPayable
	}
	s.succeed(o, nil)
	return nil
}

// PayVoucher acts as the payer who pays the code of the checkout's voucher.
func (s *StandIn) PayVoucher(checkoutID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.Objects)) {
		o := s.Objects[id]
		if of, _ := o["metadata"].(Object); of["checkout"] == checkoutID && o["status"] == "requires_action" {
			s.succeed(o, nil)
			return nil
		}
	}
	return errNotPayable
}

// Settle approves the pending charge or refund with our id.
func (s *StandIn) Settle(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.Find("attempt", id, "processing"); o != nil {
		s.succeed(o, nil)
		return nil
	}
	o := s.Find("refund", id, "pending")
	if o == nil {
		return errNotPayable
	}
	s.settleRefund(o)
	return nil
}

func (s *StandIn) settleRefund(o Object) {
	o["status"] = "succeeded"
	s.Book("refund", o, -o["amount"].(int64))
	s.emit("refund.updated", o)
}

// SettleAll approves all pending charges and refunds.
func (s *StandIn) SettleAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleUntil(s.Now())
}

// settleUntil approves the pending charges and refunds that were created by the time.
func (s *StandIn) settleUntil(created time.Time) {
	for _, id := range slices.Sorted(maps.Keys(s.Objects)) {
		switch o := s.Objects[id]; {
		case o["created"].(int64) > created.Unix():
		case o["status"] == "processing":
			s.succeed(o, nil)
		case o["status"] == "pending":
			s.settleRefund(o)
		}
	}
}

// ChargeBack acts as the issuer who takes money of our charge back.
func (s *StandIn) ChargeBack(_ context.Context, chargeID, id string, amount money.Amount) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	charge := s.Objects[s.Find("attempt", chargeID, "succeeded")["latest_charge"].(string)]
	s.Dispute(id, charge, amount.Minor(), -amount.Minor())
	return nil
}
