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

func TestPaymentEntry_NetOfFee(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	c.Payee.FeeRate = "0.0195"
	change := settle(t, begin(t, c, attemptFor("attempt-1", payments.CardMethod), start),
		payments.Outcome{Decision: payments.Approved}, start)
	want := &ledger.Entry{ID: "attempt-1", Kind: ledger.Payment, About: ledger.OfTransaction("attempt-1"), At: start,
		Postings: []ledger.Posting{posting(ledger.AcquirerReceivable, "10.10", "EUR"),
			posting(ledger.MerchantPayable, "-9.90", "EUR"), posting(ledger.FeeIncome, "-0.20", "EUR")}}
	if diff := differs(want, change.Entry); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	type sums struct{ Fee, Captured, Refundable, Refunded, ChargedBack money.Amount }
	tx := change.Transaction
	got := sums{tx.Fee, tx.Captured, tx.Refundable, tx.Refunded, tx.ChargedBack}
	if diff := differs(sums{eur("0.20"), eur("10.10"), eur("10.10"), eur("0"), eur("0")}, got); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

// TestPaymentEntry_NothingCaptured checks that a payment that moves no money has no journal entry.
func TestPaymentEntry_NothingCaptured(t *testing.T) {
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
			!tx.Refundable.IsZero() || !tx.Fee.IsZero() || tx.CanRefund() {
			t.Errorf("%s: got entry %+v, payables %v, refundable %t, want none, none, false; transaction %+v, want no payouts "+
				"and all sums zero", name, change.Entry, change.Payables, tx.CanRefund(), tx)
		}
	}
}
