package payments_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// captured is an approved payment, with its payables.
func captured(t testing.TB, amount money.Amount, rate string, plan merchant.PayoutPlan,
	installments int) payments.CheckoutChange {
	t.Helper()
	c := newCheckout()
	c.Amount, c.Payee.FeeRate, c.Payee.PayoutPlan = amount, rate, plan
	a := attemptFor("attempt-1", payments.CardMethod)
	a.Installments = installments
	return settle(t, begin(t, c, a, start), payments.Outcome{Decision: payments.Approved}, start)
}

func TestAPaymentWaitsForItsPayouts(t *testing.T) {
	t.Parallel()
	brl := func(text string) money.Amount { return money.MustParse(text, "BRL") }
	for name, test := range map[string]struct {
		plan         merchant.PayoutPlan
		installments int
		want         [][2]string // amount and fee
	}{
		"no plan":                 {"", 3, [][2]string{{"100.00", "1.95"}}},
		"single payment":          {merchant.SinglePayment, 3, [][2]string{{"100.00", "1.95"}}},
		"accelerated installment": {merchant.AcceleratedInstallment, 3, [][2]string{{"100.00", "1.95"}}},
		"true installment": {merchant.TrueInstallment, 3, [][2]string{{"33.33", "0.65"},
			{"33.33", "0.65"}, {"33.34", "0.65"}}},
		"unequal fees": {merchant.TrueInstallment, 4, [][2]string{{"25.00", "0.48"}, {"25.00", "0.48"},
			{"25.00", "0.48"}, {"25.00", "0.51"}}},
	} {
		change := captured(t, brl("100"), "0.0195", test.plan, test.installments)
		tx := change.Transaction
		if len(tx.Payouts) != len(test.want) || len(change.Payables) != len(test.want) {
			t.Errorf("%s: %v, %v", name, tx.Payouts, change.Payables)
			continue
		}
		for i, p := range tx.Payouts {
			amount, fee := brl(test.want[i][0]), brl(test.want[i][1])
			due := start.AddDate(0, i, 0)
			if p.Number != i+1 || p.Seq != i+1 || p.Amount != amount || p.Fee != fee || !p.Deducted.IsZero() ||
				p.Status != payments.EventScheduled || !p.EligibleAt.Equal(due) {
				t.Errorf("%s: part %+v", name, p)
			}
			net, err := amount.Sub(fee)
			payable := change.Payables[i]
			if err != nil || payable.Amount != net || payable.Fee != fee || payable.Kind != payments.PayablePart || payable.Seq != i+1 ||
				payable.TransactionID != tx.ID || payable.Code != tx.Code || !payable.EligibleAt.Equal(due) {
				t.Errorf("%s: payable %+v", name, payable)
			}
		}
		if n := len(test.want); n > 1 && change.Payables[0].ID == change.Payables[n-1].ID {
			t.Errorf("%s: two payables are %s", name, change.Payables[0].ID)
		}
	}
}

// TestAReturnIsTakenFromWhatWaits: the earliest payout first, never below nought, never from one that is on its way; the
// rest is a debit.
func TestAReturnIsTakenFromWhatWaits(t *testing.T) {
	t.Parallel()
	const s, r, p = payments.EventScheduled, payments.EventReconciled, payments.EventPaidOut
	for name, test := range map[string]struct {
		status   [3]payments.EventStatus // of parts of 30.00 with a fee of 0.60
		amount   string
		deducted [3]string
		debit    string // "": none
	}{
		"within the first":         {[3]payments.EventStatus{s, s, s}, "10", [3]string{"10", "0", "0"}, ""},
		"all of the first":         {[3]payments.EventStatus{s, s, s}, "29.40", [3]string{"29.40", "0", "0"}, ""},
		"a cent beyond it":         {[3]payments.EventStatus{s, s, s}, "29.41", [3]string{"29.40", "0.01", "0"}, ""},
		"all that waits":           {[3]payments.EventStatus{s, s, s}, "88.20", [3]string{"29.40", "29.40", "29.40"}, ""},
		"the fee is ours":          {[3]payments.EventStatus{s, s, s}, "90", [3]string{"29.40", "29.40", "29.40"}, "1.80"},
		"the first is paid":        {[3]payments.EventStatus{p, s, s}, "30", [3]string{"0", "29.40", "0.60"}, ""},
		"one is on its way":        {[3]payments.EventStatus{p, r, s}, "30", [3]string{"0", "0", "29.40"}, "0.60"},
		"all are paid":             {[3]payments.EventStatus{p, p, p}, "30", [3]string{"0", "0", "0"}, "30"},
		"the middle one is on it":  {[3]payments.EventStatus{s, r, s}, "60", [3]string{"29.40", "0", "29.40"}, "1.20"},
		"one failed and waits not": {[3]payments.EventStatus{payments.EventFailed, s, s}, "1", [3]string{"0", "1", "0"}, ""},
	} {
		change := captured(t, eur("90"), "0.02", merchant.TrueInstallment, 3)
		tx := *change.Transaction
		for i := range tx.Payouts {
			tx.Payouts[i].Status = test.status[i]
		}
		amount := eur(test.amount)
		after := chargeback(t, tx, "cb", &amount)
		if !deductedIs(after.Transaction, test.deducted) {
			t.Errorf("%s: %+v", name, after.Transaction.Payouts)
		}
		if !deductedIs(tx, [3]string{"0", "0", "0"}) {
			t.Errorf("%s: altered the transaction read: %+v", name, tx.Payouts)
		}
		checkDebit(t, name, after, test.debit)
	}
}

// TestOnlyPartsThatGiveAreWritten: neither one that has nothing left, nor one whose fee exceeds it, nor those after the last.
func TestOnlyPartsThatGiveAreWritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		paid, rate string
		returned   []string
		deducted   [3]string
		payables   []string // that the last return writes
		debit      string
	}{
		"the second": {"90", "0.02", []string{"29.40", "10"}, [3]string{"29.40", "10", "0"}, []string{"19.40"}, ""},
		"below its fee": {"0.03", "0.5", []string{"0.03"}, [3]string{"0.01", "0.01", "0"},
			[]string{"0.00", "0.00", "-0.01"}, "0.01"},
	} {
		change := payments.TransactionChange{Transaction: *captured(t, eur(test.paid), test.rate,
			merchant.TrueInstallment, 3).Transaction}
		for _, text := range test.returned {
			amount := eur(text)
			change = chargeback(t, change.Transaction, "cb "+text, &amount)
		}
		if !deductedIs(change.Transaction, test.deducted) {
			t.Errorf("%s: %+v", name, change.Transaction.Payouts)
		}
		checkDebit(t, name, change, test.debit)
		var payables []string
		for _, payable := range change.Payables {
			payables = append(payables, payable.Amount.String())
		}
		if !slices.Equal(payables, test.payables) {
			t.Errorf("%s: payables of %q, want %q", name, payables, test.payables)
		}
	}
}

func deductedIs(tx payments.Transaction, want [3]string) bool {
	for i, p := range tx.Payouts {
		if p.Deducted != eur(want[i]) {
			return false
		}
	}
	return true
}

// checkDebit: what other transactions have to give is an event and a payable.
func checkDebit(t *testing.T, name string, change payments.TransactionChange, want string) {
	t.Helper()
	last := change.Events[len(change.Events)-1]
	if want == "" {
		if len(change.Events) != 1 {
			t.Errorf("%s: %+v", name, change.Events)
		}
		return
	}
	payable := change.Payables[len(change.Payables)-1]
	if last.Type != payments.PayoutDeductionEvent || last.Status != payments.EventPending ||
		last.Amount != eur(want) || last.Listed() {
		t.Errorf("%s: %+v", name, last)
	}
	if payable.ID != last.ID || payable.Kind != payments.PayableChargebackDeduction || payable.Amount != eur(want).Neg() || !payable.Fee.IsZero() ||
		payable.TransactionID != change.Transaction.ID || payable.EligibleAt.Before(start) {
		t.Errorf("%s: %+v", name, payable)
	}
}

func TestPaidOutIsWhenAllPayoutsAre(t *testing.T) {
	t.Parallel()
	tx := *captured(t, eur("90"), "", merchant.TrueInstallment, 3).Transaction
	for i := range tx.Payouts {
		if tx.PayoutsReceived() != i || tx.SimpleStatus() != payments.SimpleSuccessful {
			t.Errorf("%d of 3 paid: %d, %s", i, tx.PayoutsReceived(), tx.SimpleStatus())
		}
		tx.Payouts[i].Status = payments.EventPaidOut
	}
	if tx.PayoutsReceived() != 3 || tx.SimpleStatus() != payments.SimplePaidOut {
		t.Errorf("all paid: %d, %s", tx.PayoutsReceived(), tx.SimpleStatus())
	}
	numbers := map[int64]bool{}
	for _, p := range tx.Payouts {
		number := tx.PayoutNumericID(p)
		if numbers[number] || number < 0 || number >= 1<<53 {
			t.Errorf("event number %d", number)
		}
		numbers[number] = true
	}
}

func chargeback(t testing.TB, tx payments.Transaction, id string, amount *money.Amount) payments.TransactionChange {
	t.Helper()
	change, err := tx.Chargeback(newCheckout(), id, amount, false, "msg_1", after(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return change
}
