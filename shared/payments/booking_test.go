package payments_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func posting(account ledger.Account, amount string, c money.Currency) ledger.Posting {
	return ledger.Posting{Account: account, Amount: money.MustParse(amount, c)}
}

func eur(amount string) money.Amount { return money.MustParse(amount, "EUR") }

func TestAPaymentIsBookedLessItsFee(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	c.Payee.FeeRate = "0.0195"
	change := settle(t, begin(t, c, attemptFor("attempt-1", payments.CardMethod), start),
		payments.Outcome{Decision: payments.Approved}, start)
	e := change.Entry
	if e == nil || e.ID != "attempt-1" || e.Kind != ledger.Payment || e.About != ledger.OfTransaction("attempt-1") ||
		!e.At.Equal(start) {
		t.Fatalf("%+v", e)
	}
	want := []ledger.Posting{posting(ledger.AcquirerReceivable, "10.10", "EUR"),
		posting(ledger.MerchantPayable, "-9.90", "EUR"),
		posting(ledger.FeeIncome, "-0.20", "EUR")}
	wantPostings(t, *e, want)
	if tx := change.Transaction; tx.Fee != eur("0.20") || tx.Captured != eur("10.10") || tx.Refundable != eur("10.10") ||
		!tx.Refunded.IsZero() || !tx.ChargedBack.IsZero() {
		t.Errorf("%+v", tx)
	}
}

// What moves no money leaves the books alone.
func TestNothingIsBookedWithoutACapture(t *testing.T) {
	t.Parallel()
	verification := attemptFor("attempt-1", payments.CardMethod)
	verification.Verification = true
	for name, change := range map[string]payments.CheckoutChange{
		"declined": settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start),
			payments.Outcome{Decision: payments.Declined}, start),
		"unknown": settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start),
			payments.Outcome{Decision: payments.OutcomeUnknown}, start),
		"verification": settle(t, begin(t, newCheckout(), verification, start),
			payments.Outcome{Decision: payments.Approved}, start),
	} {
		tx := change.Transaction
		if change.Entry != nil || len(change.Payables) != 0 || len(tx.Payouts) != 0 || !tx.Captured.IsZero() ||
			!tx.Refundable.IsZero() ||
			!tx.Fee.IsZero() || tx.CanRefund() {
			t.Errorf("%s: entry %+v, payables %v, %+v", name, change.Entry, change.Payables, tx)
		}
	}
}

func wantPostings(t testing.TB, e ledger.Entry, want []ledger.Posting) {
	t.Helper()
	if len(e.Postings) != len(want) {
		t.Errorf("%s: postings %v, want %v", e.ID, e.Postings, want)
		return
	}
	for i, p := range e.Postings {
		if p != want[i] {
			t.Errorf("%s: postings %v, want %v", e.ID, e.Postings, want)
		}
	}
}
