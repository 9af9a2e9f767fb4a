package payments_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestChargeback_Refused(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	begun := beginRefund(t, paid, "operation", "10.10", false).Transaction
	more, none := eur("10.11"), eur("0")
	for name, test := range map[string]struct {
		tx     payments.Transaction
		amount *money.Amount
		kind   failure.Kind
	}{
		"above what is left": {paid, &more, failure.KindConflict},
		"nothing":            {paid, &none, failure.KindInvalid},
		"being refunded":     {begun, nil, failure.KindConflict},
	} {
		if _, err := test.tx.Chargeback(newCheckout(), "cb", test.amount, false, "msg", start); !failure.Is(err, test.kind) {
			t.Errorf("%s: got error %v, want one of kind %s", name, err, test.kind.Slug())
		}
	}
}

func TestChargeback_BookedAndReported(t *testing.T) {
	t.Parallel()
	four, paid, now := eur("4.00"), paidTransaction(t), after(time.Hour)
	change := chargeback(t, paid, "cb", &four)
	want := paid
	want.Refundable, want.ChargedBack, want.EventCount, want.UpdatedAt = eur("6.10"), eur("4.00"), 1, now
	want.ChangedAt = now
	want.Payouts = slices.Clone(paid.Payouts)
	want.Payouts[0].Deducted = eur("4.00")
	event := payments.Event{ID: paid.ChargebackID("cb"), TransactionID: paid.ID, Code: paid.Code,
		Type: payments.ChargebackEvent, Status: payments.EventSuccessful, Amount: eur("4.00"), CreatedAt: now, UpdatedAt: now,
		TransactionSummary: payments.TransactionSummary{ClientTransactionID: paid.ClientTransactionID,
			ProductSummary: "Tea", Username: "shop@shop.example", PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY",
			Installments: 1, PayoutPlan: paid.PayoutPlan}}
	wanted := payments.TransactionChange{Transaction: want, Events: []payments.Event{event},
		Entry: &ledger.Entry{ID: event.ID, Kind: ledger.Chargeback, About: ledger.OfTransaction(paid.ID), At: now,
			Postings: []ledger.Posting{posting(ledger.MerchantPayable, "4.00", "EUR"),
				posting(ledger.AcquirerReceivable, "-4.00", "EUR")}},
		Payables: []payments.Payable{{ID: paid.ID + "#1", Kind: payments.PayablePart, TransactionID: paid.ID,
			Code: paid.Code, Seq: 1, Amount: eur("5.90"), Fee: eur("0.20"), EligibleAt: start}},
		Callback: &payments.Callback{Entry: outbox.New("msg_1", now),
			EventType: payments.EventCheckoutStatusChanged, ShowsStatus: true, CheckoutID: "checkout-1", URL: returnURL,
			Status: payments.CheckoutPending}}
	if diff := differs(wanted, change); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
	if got := change.Transaction.SimpleStatus(); got != payments.SimpleChargeback {
		t.Errorf("got simple status %s, want %s", got, payments.SimpleChargeback)
	}
	if e := change.Events[0]; !e.Listed() || !e.DueAt().IsZero() {
		t.Errorf("got listed %t, wake at %s, want true, never", e.Listed(), e.DueAt())
	}
	lost, err := change.Transaction.Chargeback(newCheckout(), "cb2", nil, true, "msg_2", start)
	if err != nil {
		t.Fatal(err)
	}
	if got := lost.Transaction; got.ChargedBack != eur("10.10") || got.SimpleStatus() != payments.SimpleNonCollection {
		t.Errorf("got %s charged back, %s, want 10.10, %s", got.ChargedBack, got.SimpleStatus(),
			payments.SimpleNonCollection)
	}
}

// TestChargeback_AfterLostOne checks that the status of a lost chargeback stays after further chargebacks (contract
// §6.5).
func TestChargeback_AfterLostOne(t *testing.T) {
	t.Parallel()
	four := eur("4.00")
	lost, err := paidTransaction(t).Chargeback(newCheckout(), "cb", &four, true, "msg_1", start)
	if err != nil {
		t.Fatal(err)
	}
	if tx := chargeback(t, lost.Transaction, "cb2", &four).Transaction; tx.SimpleStatus() != payments.SimpleNonCollection {
		t.Errorf("got simple status %s, want %s", tx.SimpleStatus(), payments.SimpleNonCollection)
	}
}

// TestChargeback_CountsAsEvent checks that chargebacks count toward the limit of refunds. The limit does not stop a
// chargeback, because the issuer has already made it.
func TestChargeback_CountsAsEvent(t *testing.T) {
	t.Parallel()
	cent, tx := eur("0.01"), paidTransaction(t)
	tx.EventCount = 999
	beginRefund(t, tx, "operation", "0.01", false)
	tx = chargeback(t, tx, "cb", &cent).Transaction
	if _, err := tx.BeginRefund("operation", &cent, false, start); !failure.Is(err, failure.KindConflict) {
		t.Errorf("a refund after 1,000 events: got error %v, want one of kind %s", err, failure.KindConflict.Slug())
	}
	chargeback(t, tx, "cb2", &cent)
}
