package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestWhatCannotBeChargedBack(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	reserved := reserve(t, paid, "operation", "10.10", false).Transaction
	more, none := eur("10.11"), eur("0")
	for name, test := range map[string]struct {
		tx     payments.Transaction
		amount *money.Amount
		kind   failure.Kind
	}{
		"above the rest": {paid, &more, failure.KindConflict},
		"nothing":        {paid, &none, failure.KindInvalid},
		"being refunded": {reserved, nil, failure.KindConflict},
	} {
		if _, err := test.tx.Chargeback(newCheckout(), "cb", test.amount, false, "msg", start); !failure.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAChargebackIsBookedAndTold(t *testing.T) {
	t.Parallel()
	four := eur("4.00")
	change := chargeback(t, paidTransaction(t), "cb", &four)
	tx, e := change.Transaction, change.Events[0]
	if tx.Refundable != eur("6.10") || tx.ChargedBack != eur("4.00") || !tx.Refunded.IsZero() ||
		tx.SimpleStatus() != payments.SimpleChargeback || tx.NonCollection ||
		!tx.UpdatedAt.Equal(after(time.Hour)) {
		t.Errorf("%+v", tx)
	}
	if e.ID != tx.ChargebackID("cb") || e.Type != payments.ChargebackEvent || e.Status != payments.EventSuccessful ||
		!e.Listed() || !e.WakeAt().IsZero() {
		t.Errorf("%+v", e)
	}
	if change.Entry.Kind != ledger.Chargeback || change.Entry.ID != e.ID || change.ReserveDelta.Currency() != "" {
		t.Errorf("%+v", change.Entry)
	}
	wantPostings(t, *change.Entry, []ledger.Posting{posting(ledger.MerchantPayable, "4.00", "EUR"),
		posting(ledger.AcquirerReceivable, "-4.00", "EUR")})
	if change.Callback == nil || change.Callback.ID != "msg_1" || change.Callback.CheckoutID != "checkout-1" {
		t.Errorf("%+v", change.Callback)
	}
	lost, err := tx.Chargeback(newCheckout(), "cb2", nil, true, "msg_2", start)
	if err != nil || lost.Transaction.ChargedBack != eur("10.10") ||
		lost.Transaction.SimpleStatus() != payments.SimpleNonCollection {
		t.Errorf("%+v, %v", lost.Transaction, err)
	}
}

// TestALostChargebackStaysLost, whatever is charged back after it (contract §6.5).
func TestALostChargebackStaysLost(t *testing.T) {
	t.Parallel()
	four := eur("4.00")
	lost, err := paidTransaction(t).Chargeback(newCheckout(), "cb", &four, true, "msg_1", start)
	if err != nil {
		t.Fatal(err)
	}
	if tx := chargeback(t, lost.Transaction, "cb2", &four).Transaction; tx.SimpleStatus() != payments.SimpleNonCollection {
		t.Errorf("%s", tx.SimpleStatus())
	}
}

// TestAChargebackIsOneOfTheEventsThatBoundRefunds; it is not bounded itself, because the issuer has made it.
func TestAChargebackIsOneOfTheEventsThatBoundRefunds(t *testing.T) {
	t.Parallel()
	cent, tx := eur("0.01"), paidTransaction(t)
	tx.EventCount = 999
	reserve(t, tx, "operation", "0.01", false)
	tx = chargeback(t, tx, "cb", &cent).Transaction
	if _, err := tx.BeginRefund("operation", &cent, false, start); !failure.Is(err, failure.KindConflict) {
		t.Errorf("a refund after 1,000 events: %v", err)
	}
	chargeback(t, tx, "cb2", &cent)
}
