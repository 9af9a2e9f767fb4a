package payments_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// paidTransaction returns a payment of 10.10 EUR with a fee of 0.20.
func paidTransaction(t testing.TB) payments.Transaction {
	t.Helper()
	return *captured(t, eur("10.10"), "0.0195", "", 1).Transaction
}

func beginRefund(t testing.TB, tx payments.Transaction, operation, amount string,
	inReserve bool) payments.TransactionChange {
	t.Helper()
	var x *money.Amount
	if amount != "" {
		parsed := money.MustParse(amount, tx.Amount.Currency())
		x = &parsed
	}
	change, err := tx.BeginRefund(operation, x, inReserve, after(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return change
}

func settleRefund(t testing.TB, change payments.TransactionChange, d payments.Decision,
	now time.Time) payments.TransactionChange {
	t.Helper()
	next, ok := change.Transaction.SettleRefund(change.Events[0], payments.Outcome{Decision: d, ReturnCode: "00"}, now)
	if !ok {
		t.Fatalf("%s: got no change, want one", d)
	}
	return next
}

func TestBeginRefund_Refused(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	refunded := settleRefund(t, beginRefund(t, paid, "a", "", false), payments.Approved, after(time.Hour)).Transaction
	failed := *settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start),
		payments.Outcome{Decision: payments.Declined}, start).Transaction
	crowded := paid
	crowded.EventCount = 1000
	unknown := *settle(t, states(t)["pending"], payments.Outcome{Decision: payments.OutcomeUnknown}, start).Transaction
	someRuns := beginRefund(t, paid, "a", "4.10", false).Transaction
	allRuns := beginRefund(t, paid, "a", "", false).Transaction
	crowdedRuns := allRuns
	crowdedRuns.EventCount = 1000
	disputed, err := someRuns.Chargeback(newCheckout(), "dispute", nil, false, "msg_1", start)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		tx        payments.Transaction
		amount    string
		kind      failure.Kind // Internal: none
		rest      string       // refundable rest, in an AmountTooHighError
		transient bool
	}{
		"all":              {paid, "", failure.KindInternal, "", false},
		"one cent":         {paid, "0.01", failure.KindInternal, "", false},
		"the whole":        {paid, "10.10", failure.KindInternal, "", false},
		"a cent too much":  {paid, "10.11", failure.KindConflict, "10.10", false},
		"nothing":          {paid, "0", failure.KindInvalid, "", false},
		"less than that":   {paid, "-1", failure.KindInvalid, "", false},
		"refunded in full": {refunded, "0.01", failure.KindConflict, "", false},
		"again in full":    {refunded, "", failure.KindConflict, "", false},
		"failed":           {failed, "", failure.KindConflict, "", false},
		"too many events":  {crowded, "1", failure.KindConflict, "", false},

		"the payment is unknown":                          {unknown, "", failure.KindConflict, "", true},
		"all of it is being refunded":                     {allRuns, "1", failure.KindConflict, "", true},
		"some of it, and the rest does not suffice":       {someRuns, "10.10", failure.KindConflict, "6.00", true},
		"some of it, and more than all is asked for":      {someRuns, "10.11", failure.KindConflict, "6.00", false},
		"some of it, and the rest was charged back":       {disputed.Transaction, "1", failure.KindConflict, "", true},
		"all of it, and there are too many events anyway": {crowdedRuns, "1", failure.KindConflict, "", false},
	} {
		var x *money.Amount
		if test.amount != "" {
			parsed := eur(test.amount)
			x = &parsed
		}
		_, err := test.tx.BeginRefund("operation", x, false, start)
		var above *payments.AmountTooHighError
		switch {
		case test.kind == failure.KindInternal && err != nil:
			t.Errorf("%s: got error %v, want none", name, err)
		case test.kind != failure.KindInternal && !failure.Is(err, test.kind):
			t.Errorf("%s: got error %v, want one of kind %s", name, err, test.kind.Slug())
		case errors.As(err, &above) != (test.rest != ""), above != nil && above.Refundable != eur(test.rest):
			t.Errorf("%s: got %v, above %+v, want %q left", name, err, above, test.rest)
		case err != nil && failure.Of(err).Transient != test.transient:
			t.Errorf("%s: got transient %t, want %t", name, !test.transient, test.transient)
		}
	}
}

func TestBeginRefund_NotVisible(t *testing.T) {
	t.Parallel()
	paid, now := paidTransaction(t), after(time.Hour)
	change := beginRefund(t, paid, "operation", "4.10", true)
	want := paid
	want.Refundable, want.EventCount, want.RefundsBegun = eur("6.00"), 1, 1
	event := payments.Event{ID: paid.RefundID("operation"), TransactionID: paid.ID, Code: paid.Code,
		Type: payments.RefundEvent, Status: payments.EventBegun, Amount: eur("4.10"), InReserve: true, Sequence: 1,
		CreatedAt: now, UpdatedAt: now, NextPoll: after(time.Hour + time.Minute),
		TransactionSummary: payments.TransactionSummary{ClientTransactionID: paid.ClientTransactionID,
			ProductSummary: "Tea", Username: "shop@shop.example", PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY",
			Installments: 1, PayoutPlan: paid.PayoutPlan}}
	wanted := payments.TransactionChange{Transaction: want, Events: []payments.Event{event}, ReserveDelta: eur("4.10")}
	if diff := differs(wanted, change); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
	if got := change.Transaction.SimpleStatus(); got != payments.SimpleSuccessful {
		t.Errorf("got simple status %s, want %s", got, payments.SimpleSuccessful)
	}
	if e := change.Events[0]; !e.Open() || e.Visible() || e.Listed() || !e.DueAt().Equal(e.NextPoll) {
		t.Errorf("got open %t, visible %t, listed %t, wake at %s, want true, false, false, %s", e.Open(), e.Visible(),
			e.Listed(), e.DueAt(), e.NextPoll)
	}
	if got := beginRefund(t, paid, "operation", "4.10", false).ReserveDelta; got != (money.Amount{}) {
		t.Errorf("without a minimum balance: got the reserve changed by %s, want no change", got)
	}
}

func TestSettleRefund(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		decision             payments.Decision
		status               payments.EventStatus
		refundable, refunded string
		simple               payments.SimpleStatus
		history              payments.TransactionStatus
		reserve              money.Amount // added; without a currency: no change
		booked               bool
	}{
		"approved": {payments.Approved, payments.EventRefunded, "6.00", "4.10", payments.SimpleRefunded,
			payments.TransactionSuccessful, eur("-4.10"), true},
		"declined": {payments.Declined, payments.EventFailed, "10.10", "0", payments.SimpleRefundFailed,
			payments.TransactionFailed, eur("-4.10"), false},
		"cancelled": {payments.Cancelled, payments.EventFailed, "10.10", "0", payments.SimpleRefundFailed,
			payments.TransactionFailed, eur("-4.10"), false},
		"unknown": {payments.OutcomeUnknown, payments.EventPending, "6.00", "0", payments.SimpleSuccessful,
			payments.TransactionPending, money.Amount{}, false},
	} {
		at, paid := after(2*time.Hour+1234567), paidTransaction(t)
		change := settleRefund(t, beginRefund(t, paid, "operation", "4.10", true), test.decision, at)
		tx, e := change.Transaction, change.Events[0]
		seen := at.Truncate(time.Millisecond) // as precise as clients see it
		want := settledRefund{test.status, eur(test.refundable), eur(test.refunded), test.simple, test.history, test.reserve,
			test.booked, seen, seen, paid.UpdatedAt, true, test.decision == payments.OutcomeUnknown}
		if test.decision != payments.OutcomeUnknown {
			want.Updated = seen
		}
		got := settledRefund{e.Status, tx.Refundable, tx.Refunded, tx.SimpleStatus(), e.HistoryItem().Status(),
			change.ReserveDelta, change.Entry != nil && len(change.Payables) > 0, e.CreatedAt, e.UpdatedAt, tx.UpdatedAt,
			e.Listed(), !e.DueAt().IsZero()}
		if diff := differs(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if !test.booked && (change.Entry != nil || len(change.Payables) > 0) {
			t.Errorf("%s: got entry %+v, payables %+v, want none", name, change.Entry, change.Payables)
		}
	}
}

// settledRefund is the state of a refund after an acquirer's answer.
type settledRefund struct {
	Status                     payments.EventStatus
	Refundable, Refunded       money.Amount
	Simple                     payments.SimpleStatus
	History                    payments.TransactionStatus
	ReserveDelta               money.Amount
	Booked                     bool // with an entry and payables
	EventCreated, EventUpdated time.Time
	Updated                    time.Time // of the transaction
	Listed, Wakes              bool
}

// TestShowRefund checks that a refund becomes visible only once. The time of the refund is then the time of ShowRefund,
// which comes before the question to the acquirer.
func TestShowRefund(t *testing.T) {
	t.Parallel()
	begun := beginRefund(t, paidTransaction(t), "operation", "1", false)
	shown, ok := begun.Transaction.ShowRefund(begun.Events[0], after(2*time.Hour))
	if !ok {
		t.Fatalf("got no change of %+v, want it shown", begun.Events[0])
	}
	want := begun.Events[0]
	want.Status, want.CreatedAt, want.UpdatedAt = payments.EventPending, after(2*time.Hour), after(2*time.Hour)
	if diff := differs(want, shown.Events[0]); diff != "" || !shown.Events[0].Visible() {
		t.Errorf("got visible %t, want true; refund (-want +got):\n%s", shown.Events[0].Visible(), diff)
	}
	for _, change := range []payments.TransactionChange{shown, settleRefund(t, begun, payments.Declined,
		after(2*time.Hour))} {
		if again, ok := change.Transaction.ShowRefund(change.Events[0], after(3*time.Hour)); ok {
			t.Errorf("%s, then shown: got %+v, want no change", change.Events[0].Status, again)
		}
	}
}

// TestSettleRefund_UnknownOutcome checks the time of a refund's update. Once clients have seen the refund, an answer
// without an outcome leaves that time unchanged, and an answer with an outcome changes it.
func TestSettleRefund_UnknownOutcome(t *testing.T) {
	t.Parallel()
	begun := beginRefund(t, paidTransaction(t), "operation", "1", false)
	seen := settleRefund(t, begun, payments.OutcomeUnknown, after(time.Hour))
	again := settleRefund(t, seen, payments.OutcomeUnknown, after(2*time.Hour))
	made := settleRefund(t, again, payments.Approved, after(3*time.Hour))
	for name, c := range map[string]struct {
		change  payments.TransactionChange
		updated time.Time
	}{
		"unknown again": {again, after(time.Hour)},
		"made":          {made, after(3 * time.Hour)},
	} {
		if e := c.change.Events[0]; !e.CreatedAt.Equal(after(time.Hour)) || !e.UpdatedAt.Equal(c.updated) {
			t.Errorf("%s: got created %s, updated %s, want %s, %s", name, e.CreatedAt, e.UpdatedAt, after(time.Hour),
				c.updated)
		}
	}
}

func TestSettleRefund_Booked(t *testing.T) {
	t.Parallel()
	paid, now := paidTransaction(t), after(time.Hour)
	change := settleRefund(t, beginRefund(t, paid, "operation", "", false), payments.Approved, now)
	id := change.Events[0].ID
	want := &ledger.Entry{ID: id, Kind: ledger.Refund, About: ledger.OfTransaction("attempt-1"), At: now,
		Postings: []ledger.Posting{posting(ledger.MerchantPayable, "10.10", "EUR"),
			posting(ledger.AcquirerReceivable, "-10.10", "EUR")}}
	if diff := differs(want, change.Entry); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if len(change.Events) != 2 {
		t.Fatalf("got events %+v, want the refund and a deduction", change.Events)
	}
	deduction := change.Events[0]
	deduction.ID, deduction.Type = change.Events[1].ID, payments.PayoutDeductionEvent
	deduction.Status = payments.EventPending
	deduction.Amount, deduction.Sequence, deduction.NextPoll, deduction.ReturnCode = eur("0.20"), 0, time.Time{}, ""
	if diff := differs(deduction, change.Events[1]); diff != "" {
		t.Errorf("deduction (-want +got):\n%s", diff)
	}
	// 9.90 was scheduled. The fee is not refunded, so 0.20 come from other transactions.
	payables := []payments.Payable{
		{ID: paid.ID + "#1", Kind: payments.PayablePart, TransactionID: paid.ID, Code: paid.Code, Seq: 1,
			Amount: eur("0.00"), Fee: eur("0.20"), EligibleAt: start},
		{ID: deduction.ID, Kind: payments.PayableRefundDeduction, TransactionID: paid.ID, Code: paid.Code,
			Amount: eur("-0.20"), Fee: eur("0"), EligibleAt: now},
	}
	if diff := differs(payables, change.Payables); diff != "" {
		t.Errorf("payables (-want +got):\n%s", diff)
	}
}

// TestSettleRefund_Closed checks that a late or repeated answer changes nothing.
func TestSettleRefund_Closed(t *testing.T) {
	t.Parallel()
	begun := beginRefund(t, paidTransaction(t), "operation", "1", true)
	withdrawn, ok := begun.Transaction.WithdrawRefund(begun.Events[0], start)
	if !ok {
		t.Fatalf("got no change of %+v, want it withdrawn", begun.Events[0])
	}
	type result struct {
		Status               payments.EventStatus
		Visible              bool
		Reserved, Refundable money.Amount
		Simple               payments.SimpleStatus
	}
	want := result{payments.EventWithdrawn, false, eur("-1.00"), eur("10.10"), payments.SimpleSuccessful}
	e, tx := withdrawn.Events[0], withdrawn.Transaction
	got := result{e.Status, e.Visible(), withdrawn.ReserveDelta, tx.Refundable, tx.SimpleStatus()}
	if diff := differs(want, got); diff != "" {
		t.Fatalf("withdrawn (-want +got):\n%s", diff)
	}
	for name, change := range map[string]payments.TransactionChange{
		"refunded":  settleRefund(t, begun, payments.Approved, start),
		"failed":    settleRefund(t, begun, payments.Declined, start),
		"withdrawn": withdrawn,
	} {
		for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Cancelled,
			payments.OutcomeUnknown} {
			if again, ok := change.Transaction.SettleRefund(change.Events[0], payments.Outcome{Decision: d}, start); ok {
				t.Errorf("%s, then %s: got %+v, want no change", name, d, again)
			}
		}
		if again, ok := change.Transaction.WithdrawRefund(change.Events[0], start); ok {
			t.Errorf("%s, then withdrawn: got %+v, want no change", name, again)
		}
	}
	pending := settleRefund(t, begun, payments.OutcomeUnknown, start)
	if again, ok := pending.Transaction.WithdrawRefund(pending.Events[0], start); ok {
		t.Errorf("seen by clients, then withdrawn: got %+v, want no change", again)
	}
}
