package payments_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// captured returns the change of an approved payment, with its payables.
func captured(t testing.TB, amount money.Amount, rate string, plan merchant.PayoutPlan,
	installments int) payments.CheckoutChange {
	t.Helper()
	c := newCheckout()
	c.Amount, c.Payee.FeeRate, c.Payee.PayoutPlan = amount, rate, plan
	a := attemptFor("attempt-1", payments.CardMethod)
	a.Installments = installments
	return settle(t, begin(t, c, a, start), payments.Outcome{Decision: payments.Approved}, start)
}

func TestSettle_PayoutParts(t *testing.T) {
	t.Parallel()
	brl := func(text string) money.Amount { return money.MustParse(text, "BRL") }
	for name, test := range map[string]struct {
		plan         merchant.PayoutPlan
		installments int
		want         [][3]string // amount, fee and the merchant's net amount
	}{
		"no plan":                 {"", 3, [][3]string{{"100.00", "1.95", "98.05"}}},
		"single payment":          {merchant.SinglePayment, 3, [][3]string{{"100.00", "1.95", "98.05"}}},
		"accelerated installment": {merchant.AcceleratedInstallment, 3, [][3]string{{"100.00", "1.95", "98.05"}}},
		"true installment": {merchant.TrueInstallment, 3, [][3]string{{"33.33", "0.65", "32.68"},
			{"33.33", "0.65", "32.68"}, {"33.34", "0.65", "32.69"}}},
		"unequal fees": {merchant.TrueInstallment, 4, [][3]string{{"25.00", "0.48", "24.52"}, {"25.00", "0.48", "24.52"},
			{"25.00", "0.48", "24.52"}, {"25.00", "0.51", "24.49"}}},
	} {
		change := captured(t, brl("100"), "0.0195", test.plan, test.installments)
		tx := change.Transaction
		var parts []payments.PayoutPart
		var payables []payments.Payable
		for i, sums := range test.want {
			due := start.AddDate(0, i, 0)
			parts = append(parts, payments.PayoutPart{Seq: i + 1, Number: i + 1, Amount: brl(sums[0]), Fee: brl(sums[1]),
				Deducted: brl("0"), Status: payments.EventScheduled, EligibleAt: due})
			payables = append(payables, payments.Payable{ID: fmt.Sprintf("%s#%d", tx.ID, i+1), Kind: payments.PayablePart,
				TransactionID: tx.ID, Code: tx.Code, Seq: i + 1, Amount: brl(sums[2]), Fee: brl(sums[1]), EligibleAt: due})
		}
		if diff := differs(parts, tx.Payouts); diff != "" {
			t.Errorf("%s: parts (-want +got):\n%s", name, diff)
		}
		if diff := differs(payables, change.Payables); diff != "" {
			t.Errorf("%s: payables (-want +got):\n%s", name, diff)
		}
	}
}

// TestDeduct_ScheduledPayouts checks that a return is taken from the earliest payout first. No payout falls below zero,
// and nothing is taken from a payout on its way. The rest is a debit.
func TestDeduct_ScheduledPayouts(t *testing.T) {
	t.Parallel()
	type statuses = [3]payments.EventStatus
	const s, r, p, f = payments.EventScheduled, payments.EventReconciled, payments.EventPaidOut, payments.EventFailed
	for name, test := range map[string]struct {
		status   statuses // statuses of parts of 30.00, each with a fee of 0.60
		amount   string
		deducted [3]string
		debit    string // "": none
	}{
		"within the first":             {statuses{s, s, s}, "10", [3]string{"10", "0", "0"}, ""},
		"all of the first":             {statuses{s, s, s}, "29.40", [3]string{"29.40", "0", "0"}, ""},
		"a cent beyond it":             {statuses{s, s, s}, "29.41", [3]string{"29.40", "0.01", "0"}, ""},
		"all that is scheduled":        {statuses{s, s, s}, "88.20", [3]string{"29.40", "29.40", "29.40"}, ""},
		"not the fee":                  {statuses{s, s, s}, "90", [3]string{"29.40", "29.40", "29.40"}, "1.80"},
		"the first is paid":            {statuses{p, s, s}, "30", [3]string{"0", "29.40", "0.60"}, ""},
		"one is on its way":            {statuses{p, r, s}, "30", [3]string{"0", "0", "29.40"}, "0.60"},
		"all are paid":                 {statuses{p, p, p}, "30", [3]string{"0", "0", "0"}, "30"},
		"the middle one is on its way": {statuses{s, r, s}, "60", [3]string{"29.40", "0", "29.40"}, "1.20"},
		"one failed":                   {statuses{f, s, s}, "1", [3]string{"0", "1", "0"}, ""},
	} {
		tx := *captured(t, eur("90"), "0.02", merchant.TrueInstallment, 3).Transaction
		for i := range tx.Payouts {
			tx.Payouts[i].Status = test.status[i]
		}
		amount := eur(test.amount)
		change := chargeback(t, tx, "cb", &amount)
		if diff := differs(eurs(test.deducted[:]...), deducted(change.Transaction)); diff != "" {
			t.Errorf("%s: deducted (-want +got):\n%s", name, diff)
		}
		if diff := differs(eurs("0", "0", "0"), deducted(tx)); diff != "" {
			t.Errorf("%s: the transaction read was altered (-want +got):\n%s", name, diff)
		}
		checkDebit(t, name, change, test.debit)
	}
}

// TestDeduct_WritesChangedParts checks that a return writes only the parts that it changes. It does not write a part
// with nothing left, a part whose fee exceeds its amount, or any part after the last part that the return needs.
func TestDeduct_WritesChangedParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		paid, rate string
		returned   []string
		deducted   [3]string
		payables   []string // written by the last return
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
		if diff := differs(eurs(test.deducted[:]...), deducted(change.Transaction)); diff != "" {
			t.Errorf("%s: deducted (-want +got):\n%s", name, diff)
		}
		checkDebit(t, name, change, test.debit)
		var payables []string
		for _, payable := range change.Payables {
			payables = append(payables, payable.Amount.String())
		}
		if !slices.Equal(payables, test.payables) {
			t.Errorf("%s: got payables of %q, want %q", name, payables, test.payables)
		}
	}
}

// deducted returns the amount taken from each part.
func deducted(tx payments.Transaction) (amounts []money.Amount) {
	for _, p := range tx.Payouts {
		amounts = append(amounts, p.Deducted)
	}
	return amounts
}

// checkDebit checks that the amount that other transactions must cover is an event and a payable.
func checkDebit(t *testing.T, name string, change payments.TransactionChange, want string) {
	t.Helper()
	if want == "" {
		if len(change.Events) != 1 {
			t.Errorf("%s: got events %+v, want one", name, change.Events)
		}
		return
	}
	tx, chargeback := change.Transaction, change.Events[0]
	event := chargeback
	event.ID, event.Type = change.Events[len(change.Events)-1].ID, payments.PayoutDeductionEvent
	event.Status, event.Amount = payments.EventPending, eur(want)
	if diff := differs([]payments.Event{chargeback, event}, change.Events); diff != "" {
		t.Errorf("%s: events (-want +got):\n%s", name, diff)
	}
	if event.ID == chargeback.ID || event.Listed() {
		t.Errorf("%s: got a deduction with the id %s, listed %t, want an id of its own, not listed", name, event.ID,
			event.Listed())
	}
	payable := payments.Payable{ID: event.ID, Kind: payments.PayableChargebackDeduction, TransactionID: tx.ID,
		Code: tx.Code, Amount: eur(want).Neg(), Fee: eur("0"), EligibleAt: after(time.Hour)}
	if diff := differs(payable, change.Payables[len(change.Payables)-1]); diff != "" {
		t.Errorf("%s: payable (-want +got):\n%s", name, diff)
	}
}

func TestSimpleStatus_PaidOut(t *testing.T) {
	t.Parallel()
	tx := *captured(t, eur("90"), "", merchant.TrueInstallment, 3).Transaction
	for i := range tx.Payouts {
		if tx.PayoutsReceived() != i || tx.SimpleStatus() != payments.SimpleSuccessful {
			t.Errorf("%d of 3 paid: got %d received, %s, want %d, %s", i, tx.PayoutsReceived(), tx.SimpleStatus(), i,
				payments.SimpleSuccessful)
		}
		tx.Payouts[i].Status = payments.EventPaidOut
	}
	if tx.PayoutsReceived() != 3 || tx.SimpleStatus() != payments.SimplePaidOut {
		t.Errorf("all paid: got %d received, %s, want 3, %s", tx.PayoutsReceived(), tx.SimpleStatus(),
			payments.SimplePaidOut)
	}
	numbers := map[int64]bool{}
	for _, p := range tx.Payouts {
		number := tx.PayoutNumericID(p)
		if numbers[number] || number < 0 || number >= 1<<53 {
			t.Errorf("part %d: got number %d, want one of its own of 53 bits", p.Seq, number)
		}
		numbers[number] = true
	}
}

// eurs returns amounts in euros.
func eurs(texts ...string) (amounts []money.Amount) {
	for _, text := range texts {
		amounts = append(amounts, eur(text))
	}
	return amounts
}

func chargeback(t testing.TB, tx payments.Transaction, id string, amount *money.Amount) payments.TransactionChange {
	t.Helper()
	change, err := tx.Chargeback(newCheckout(), id, amount, false, "msg_1", after(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return change
}
