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

// paidTransaction captured 10.10 EUR at a fee of 0.20.
func paidTransaction(t testing.TB) payments.Transaction {
	t.Helper()
	return *captured(t, eur("10.10"), "0.0195", "", 1).Transaction
}

func reserve(t testing.TB, tx payments.Transaction, operation, amount string, held bool) payments.TransactionChange {
	t.Helper()
	var x *money.Amount
	if amount != "" {
		parsed := money.MustParse(amount, tx.Amount.Currency())
		x = &parsed
	}
	change, err := tx.BeginRefund(operation, x, held, after(time.Hour))
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
		t.Fatalf("%s changes nothing", d)
	}
	return next
}

func TestWhatCannotBeRefunded(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	refunded := settleRefund(t, reserve(t, paid, "a", "", false), payments.Approved, after(time.Hour)).Transaction
	failed := *settle(t, begin(t, newCheckout(), attemptFor("attempt-1", payments.CardMethod), start),
		payments.Outcome{Decision: payments.Declined}, start).Transaction
	crowded := paid
	crowded.EventCount = 1000
	unknown := *settle(t, states(t)["pending"], payments.Outcome{Decision: payments.OutcomeUnknown}, start).Transaction
	someRuns, allRuns := reserve(t, paid, "a", "4.10", false).Transaction, reserve(t, paid, "a", "", false).Transaction
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
		rest      string       // what an AmountTooHighError tells
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
		case test.kind == failure.KindInternal && err != nil,
			test.kind != failure.KindInternal && !failure.Is(err, test.kind):
			t.Errorf("%s: %v", name, err)
		case errors.As(err, &above) != (test.rest != ""), above != nil && above.Refundable != eur(test.rest):
			t.Errorf("%s: %v", name, err)
		case err != nil && failure.Of(err).Transient != test.transient:
			t.Errorf("%s: transient %t", name, !test.transient)
		}
	}
}

func TestAReservedRefundIsSeenByNobody(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	change := reserve(t, paid, "operation", "4.10", true)
	tx, e := change.Transaction, change.Events[0]
	if tx.Refundable != eur("6.00") || !tx.Refunded.IsZero() || tx.SimpleStatus() != payments.SimpleSuccessful ||
		!tx.UpdatedAt.Equal(paid.UpdatedAt) {
		t.Errorf("%+v", tx)
	}
	if e.ID != paid.RefundID("operation") || e.Status != payments.EventBegun || e.Amount != eur("4.10") || !e.Open() ||
		e.Visible() || e.Listed() {
		t.Errorf("%+v", e)
	}
	if !e.WakeAt().Equal(after(time.Hour+time.Minute)) || change.Entry != nil || len(change.Payables) != 0 ||
		change.Callback != nil {
		t.Errorf("wakes at %s; %+v", e.WakeAt(), change)
	}
	if change.ReserveDelta != eur("4.10") || reserve(t, paid, "operation", "4.10", false).ReserveDelta.Currency() != "" {
		t.Errorf("holds %s", change.ReserveDelta)
	}
}

func TestTheAcquirersWordOnARefund(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		decision             payments.Decision
		status               payments.EventStatus
		refundable, refunded string
		simple               payments.SimpleStatus
		history              payments.TransactionStatus
		hold                 string // "": untouched
		booked               bool
	}{
		"approved": {payments.Approved, payments.EventRefunded, "6.00", "4.10", payments.SimpleRefunded,
			payments.TransactionSuccessful, "-4.10", true},
		"declined": {payments.Declined, payments.EventFailed, "10.10", "0", payments.SimpleRefundFailed,
			payments.TransactionFailed, "-4.10", false},
		"cancelled": {payments.Cancelled, payments.EventFailed, "10.10", "0", payments.SimpleRefundFailed,
			payments.TransactionFailed, "-4.10", false},
		"unknown": {payments.OutcomeUnknown, payments.EventPending, "6.00", "0", payments.SimpleSuccessful,
			payments.TransactionPending, "", false},
	} {
		at, paid := after(2*time.Hour+1234567), paidTransaction(t)
		change := settleRefund(t, reserve(t, paid, "operation", "4.10", true), test.decision, at)
		tx, e := change.Transaction, change.Events[0]
		if e.Status != test.status || tx.Refundable != eur(test.refundable) || tx.Refunded != eur(test.refunded) ||
			tx.SimpleStatus() != test.simple {
			t.Errorf("%s: %+v of %+v", name, e, tx)
		}
		// Its time is when clients could first see it, as precisely as they do.
		if seen := at.Truncate(time.Millisecond); !e.CreatedAt.Equal(seen) || !e.UpdatedAt.Equal(seen) || !e.Listed() ||
			e.HistoryItem().Status() != test.history {
			t.Errorf("%s: created %s, shown %s", name, e.CreatedAt, e.HistoryItem().Status())
		}
		if updated := test.decision != payments.OutcomeUnknown; tx.UpdatedAt.Equal(at.Truncate(time.Millisecond)) != updated ||
			tx.UpdatedAt.Equal(paid.UpdatedAt) == updated {
			t.Errorf("%s: updated %s", name, tx.UpdatedAt)
		}
		if (test.hold == "") != (change.ReserveDelta.Currency() == "") || (test.hold != "" && change.ReserveDelta != eur(test.hold)) {
			t.Errorf("%s: holds %s", name, change.ReserveDelta)
		}
		if (change.Entry != nil) != test.booked || (len(change.Payables) > 0) != test.booked || e.Open() == e.WakeAt().IsZero() {
			t.Errorf("%s: %+v", name, change)
		}
	}
}

// TestARefundIsShownOnce, as of now: before others ask the acquirer.
func TestARefundIsShownOnce(t *testing.T) {
	t.Parallel()
	reserved := reserve(t, paidTransaction(t), "operation", "1", false)
	shown, ok := reserved.Transaction.ShowRefund(reserved.Events[0], after(2*time.Hour))
	if !ok {
		t.Fatal("not shown")
	}
	if e := shown.Events[0]; e.Status != payments.EventPending || !e.Visible() || !e.CreatedAt.Equal(after(2*time.Hour)) ||
		!e.UpdatedAt.Equal(e.CreatedAt) {
		t.Errorf("%+v", e)
	}
	for _, change := range []payments.TransactionChange{shown, settleRefund(t, reserved, payments.Declined,
		after(2*time.Hour))} {
		if again, ok := change.Transaction.ShowRefund(change.Events[0], after(3*time.Hour)); ok {
			t.Errorf("%s, then shown: %+v", change.Events[0].Status, again)
		}
	}
}

// TestAWordThatDecidesNothingIsNoUpdate, once clients have seen the refund; the one that decides is.
func TestAWordThatDecidesNothingIsNoUpdate(t *testing.T) {
	t.Parallel()
	seen := settleRefund(t, reserve(t, paidTransaction(t), "operation", "1", false), payments.OutcomeUnknown, after(time.Hour))
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
			t.Errorf("%s: created %s, updated %s", name, e.CreatedAt, e.UpdatedAt)
		}
	}
}

func TestARefundIsBookedAgainstTheMerchant(t *testing.T) {
	t.Parallel()
	change := settleRefund(t, reserve(t, paidTransaction(t), "operation", "", false), payments.Approved, after(time.Hour))
	e := change.Entry
	if e.ID != change.Events[0].ID || e.Kind != ledger.Refund || e.About != ledger.OfTransaction("attempt-1") {
		t.Errorf("%+v", e)
	}
	wantPostings(t, *e, []ledger.Posting{posting(ledger.MerchantPayable, "10.10", "EUR"),
		posting(ledger.AcquirerReceivable, "-10.10", "EUR")})
	// 9.90 waited; the fee is not given back, so 0.20 come from other transactions.
	if len(change.Payables) != 2 || !change.Payables[0].Amount.IsZero() || change.Payables[1].Amount != eur("-0.20") ||
		change.Payables[1].Kind != payments.PayableRefundDeduction {
		t.Errorf("%+v", change.Payables)
	}
	if len(change.Events) != 2 || change.Events[1].Type != payments.PayoutDeductionEvent ||
		change.Events[1].Amount != eur("0.20") {
		t.Errorf("%+v", change.Events)
	}
}

// A late or repeated word changes nothing, whoever brings it.
func TestAClosedRefundStaysClosed(t *testing.T) {
	t.Parallel()
	reserved := reserve(t, paidTransaction(t), "operation", "1", true)
	withdrawn, ok := reserved.Transaction.WithdrawRefund(reserved.Events[0], start)
	if !ok || withdrawn.Events[0].Status != payments.EventWithdrawn || withdrawn.Events[0].Visible() ||
		withdrawn.ReserveDelta != eur("-1.00") ||
		withdrawn.Transaction.Refundable != eur("10.10") ||
		withdrawn.Transaction.SimpleStatus() != payments.SimpleSuccessful {
		t.Fatalf("%+v", withdrawn)
	}
	for name, change := range map[string]payments.TransactionChange{
		"refunded":  settleRefund(t, reserved, payments.Approved, start),
		"failed":    settleRefund(t, reserved, payments.Declined, start),
		"withdrawn": withdrawn,
	} {
		for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Cancelled, payments.OutcomeUnknown} {
			if again, ok := change.Transaction.SettleRefund(change.Events[0], payments.Outcome{Decision: d}, start); ok {
				t.Errorf("%s, then %s: %+v", name, d, again)
			}
		}
		if again, ok := change.Transaction.WithdrawRefund(change.Events[0], start); ok {
			t.Errorf("%s, then withdrawn: %+v", name, again)
		}
	}
	pending := settleRefund(t, reserved, payments.OutcomeUnknown, start)
	if again, ok := pending.Transaction.WithdrawRefund(pending.Events[0], start); ok {
		t.Errorf("one that clients saw was withdrawn: %+v", again)
	}
}
