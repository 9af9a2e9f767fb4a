package payments_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func leg(account payments.Account, amount string, c money.Currency) payments.Leg {
	return payments.Leg{Account: account, Amount: money.MustParse(amount, c)}
}

func eur(amount string) money.Amount { return money.MustParse(amount, "EUR") }

func TestNewEntryRefusesWhatIsNotBalanced(t *testing.T) {
	t.Parallel()
	const receivable, payable, fee = payments.AcquirerReceivable, payments.MerchantPayable, payments.FeeIncome
	for name, test := range map[string]struct {
		legs []payments.Leg
		kept int // 0: refused
	}{
		"two legs":              {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-10", "EUR")}, 2},
		"three legs":            {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-9.80", "EUR"), leg(fee, "-0.20", "EUR")}, 3},
		"a leg of nought":       {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-10", "EUR"), leg(fee, "0", "EUR")}, 2},
		"two currencies":        {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-10", "EUR"), leg(receivable, "7", "CLP"), leg(payable, "-7", "CLP")}, 4},
		"unbalanced":            {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-9.99", "EUR")}, 0},
		"both debits":           {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "10", "EUR")}, 0},
		"a single leg":          {[]payments.Leg{leg(receivable, "10", "EUR")}, 0},
		"mixed currencies":      {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-10", "USD")}, 0},
		"one of two unbalanced": {[]payments.Leg{leg(receivable, "10", "EUR"), leg(payable, "-10", "EUR"), leg(receivable, "7", "CLP")}, 0},
		"nothing":               {nil, 0},
		"only noughts":          {[]payments.Leg{leg(receivable, "0", "EUR"), leg(payable, "0", "EUR")}, 0},
		"no amounts at all":     {[]payments.Leg{{Account: receivable}, {Account: payable}}, 0},
		"beyond any sum":        {[]payments.Leg{leg(receivable, "999999999999", "EUR"), leg(payable, "-999999999998.99", "EUR")}, 0},
	} {
		e, err := payments.NewEntry("id", payments.PaymentEntry, payments.Transaction{}, start, test.legs...)
		if refused := errors.Is(err, payments.ErrUnbalanced); refused != (test.kept == 0) || (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
		if test.kept > 0 && len(e.Legs) != test.kept {
			t.Errorf("%s: kept %v", name, e.Legs)
		}
		if check := e.Check(); (check == nil) != (test.kept > 0) {
			t.Errorf("%s, read back: %v", name, check)
		}
	}
}

func TestAPaymentIsBookedLessItsFee(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	c.Payee.FeeRate = "0.0195"
	change := settle(t, begin(t, c, attemptFor("attempt-1", payments.CardMethod), start), payments.Outcome{Decision: payments.Approved}, start)
	e := change.Entry
	if e == nil || e.ID != "attempt-1" || e.Kind != payments.PaymentEntry || e.TransactionID != "attempt-1" ||
		e.Code != payments.CodeOfID("attempt-1") || !e.At.Equal(start) {
		t.Fatalf("%+v", e)
	}
	want := []payments.Leg{leg(payments.AcquirerReceivable, "10.10", "EUR"), leg(payments.MerchantPayable, "-9.90", "EUR"),
		leg(payments.FeeIncome, "-0.20", "EUR")}
	wantLegs(t, *e, want)
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
	for name, change := range map[string]payments.Change{
		"declined":     settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start), payments.Outcome{Decision: payments.Declined}, start),
		"undecided":    settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start), payments.Outcome{Decision: payments.Undecided}, start),
		"verification": settle(t, begin(t, newCheckout(), verification, start), payments.Outcome{Decision: payments.Approved}, start),
	} {
		tx := change.Transaction
		if change.Entry != nil || len(change.Rows) != 0 || len(tx.Payouts) != 0 || !tx.Captured.IsZero() || !tx.Refundable.IsZero() ||
			!tx.Fee.IsZero() || tx.CanRefund() {
			t.Errorf("%s: entry %+v, rows %v, %+v", name, change.Entry, change.Rows, tx)
		}
	}
}

func wantLegs(t testing.TB, e payments.Entry, want []payments.Leg) {
	t.Helper()
	if len(e.Legs) != len(want) {
		t.Errorf("%s: legs %v, want %v", e.ID, e.Legs, want)
		return
	}
	for i, l := range e.Legs {
		if l != want[i] {
			t.Errorf("%s: legs %v, want %v", e.ID, e.Legs, want)
		}
	}
}
