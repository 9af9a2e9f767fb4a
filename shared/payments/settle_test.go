package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Contract §4.5: what an acquirer's word makes of each state. It comes at
// start, but for the last cases of a challenge, which ends after 30 minutes.
func TestSettle(t *testing.T) {
	t.Parallel()
	const (
		none     = payments.TransactionStatus("")
		deadline = 30 * time.Minute
	)
	for _, c := range []struct {
		from        string
		decision    payments.Decision
		later       time.Duration
		status      payments.CheckoutStatus
		transaction payments.TransactionStatus // written; none: none is
		attempt     payments.AttemptState
		session     bool
		callback    bool
	}{
		{"pending", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
		{"pending", payments.Declined, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"pending", payments.Challenge, 0, payments.CheckoutPending, payments.TransactionPending, payments.AttemptRequiresAction, true, false},
		{"pending", payments.Voucher, 0, payments.CheckoutPending, payments.TransactionPending, payments.AttemptRequiresAction, true, false},
		{"pending", payments.OutcomeUnknown, 0, payments.CheckoutPending, payments.TransactionPending, payments.AttemptPending, false, false},
		{"pending", payments.Cancelled, 0, payments.CheckoutPending, none, payments.AttemptClosed, false, false},

		{"failed, pending", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
		{"failed, pending", payments.Declined, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"failed, pending", payments.Challenge, 0, payments.CheckoutPending, payments.TransactionPending,
			payments.AttemptRequiresAction, true, false},
		{"failed, pending", payments.Voucher, 0, payments.CheckoutPending, payments.TransactionPending,
			payments.AttemptRequiresAction, true, false},
		{"failed, pending", payments.OutcomeUnknown, 0, payments.CheckoutPending, payments.TransactionPending,
			payments.AttemptPending, false, false},
		{"failed, pending", payments.Cancelled, 0, payments.CheckoutFailed, none, payments.AttemptClosed, false, false},

		{"unknown", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
		{"unknown", payments.Declined, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"unknown", payments.Challenge, 0, payments.CheckoutPending, payments.TransactionPending, payments.AttemptRequiresAction, true, false},
		{"unknown", payments.OutcomeUnknown, 0, payments.CheckoutPending, none, payments.AttemptPending, false, false},
		{"unknown", payments.Cancelled, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},

		{"requires action", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
		{"requires action", payments.Declined, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"requires action", payments.Challenge, 0, payments.CheckoutPending, none, payments.AttemptRequiresAction, false, false},
		{"requires action", payments.Voucher, 0, payments.CheckoutPending, none, payments.AttemptRequiresAction, false, false},
		{"requires action", payments.OutcomeUnknown, 0, payments.CheckoutPending, none, payments.AttemptRequiresAction, false, false},
		{"requires action", payments.Cancelled, deadline - 1, payments.CheckoutPending, payments.TransactionCancelled,
			payments.AttemptClosed, false, false},
		{"requires action", payments.Cancelled, deadline, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"requires action", payments.Approved, 48 * time.Hour, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},

		// An attempt begun in time may still pay.
		{"late, pending", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
		{"late, pending", payments.Declined, 0, payments.CheckoutFailed, payments.TransactionFailed, payments.AttemptClosed, false, true},
		{"late, pending", payments.Challenge, 0, payments.CheckoutPending, payments.TransactionPending,
			payments.AttemptRequiresAction, true, false},
		{"late, requires action", payments.Approved, 0, payments.CheckoutPaid, payments.TransactionSuccessful, payments.AttemptClosed, false, true},
	} {
		before := states(t)[c.from]
		frozen := snapshot(t, before)
		change := settle(t, before, payments.Outcome{Decision: c.decision}, after(c.later))
		got := change.Checkout
		if got.Status != c.status || got.Attempt.State != c.attempt {
			t.Errorf("%s, %s: %s, attempt %s", c.from, c.decision, got.Status, got.Attempt.State)
		}
		if written := statusOf(change.Transaction); written != c.transaction {
			t.Errorf("%s, %s: transaction %q, want %q", c.from, c.decision, written, c.transaction)
		}
		if (change.Session != nil) != c.session || (change.Callback != nil) != c.callback {
			t.Errorf("%s, %s: session %v, callback %v", c.from, c.decision, change.Session, change.Callback)
		}
		if snapshot(t, before) != frozen || got.Version != before.Version {
			t.Errorf("%s, %s: the checkout read was altered", c.from, c.decision)
		}
	}
}

func statusOf(t *payments.Transaction) payments.TransactionStatus {
	if t == nil {
		return ""
	}
	return t.Status
}

// Each attempt has one transaction in its checkout, which moves with it.
func TestAnAttemptHasOneTransaction(t *testing.T) {
	t.Parallel()
	c := played(t, newCheckout(), "attempt-1", payments.Declined, start)
	c = played(t, c, "attempt-2", payments.Challenge, after(time.Minute))
	c = settle(t, c, payments.Outcome{Decision: payments.Approved, AuthCode: "A1"}, after(2*time.Minute)).Checkout
	if len(c.Transactions) != 2 {
		t.Fatalf("%d transactions of two attempts", len(c.Transactions))
	}
	first, last := c.Transactions[0], c.Transactions[1]
	if first.ID != "attempt-1" || first.Status != payments.TransactionFailed {
		t.Errorf("first %+v", first)
	}
	if last.ID != "attempt-2" || last.Status != payments.TransactionSuccessful || last.AuthCode != "A1" ||
		!last.CreatedAt.Equal(after(time.Minute)) {
		t.Errorf("last %+v", last)
	}
	if final, ok := c.SuccessfulTransaction(); !ok || final != last {
		t.Errorf("final %+v, %t", final, ok)
	}
	if _, ok := newCheckout().SuccessfulTransaction(); ok {
		t.Error("a fresh checkout has a final transaction")
	}
}

// A word that comes late, twice or for another attempt changes nothing.
func TestLateAndRepeatedWordsChangeNothing(t *testing.T) {
	t.Parallel()
	decisions := []payments.Decision{payments.Approved, payments.Declined, payments.Challenge,
		payments.Voucher, payments.OutcomeUnknown, payments.Cancelled}
	for from, c := range states(t) {
		for _, d := range decisions {
			if _, ok := c.Settle("attempt-of-old", payments.Outcome{Decision: d}, "msg", payments.Session{}, start); ok {
				t.Errorf("%s: %s of an unknown attempt counts", from, d)
			}
			if c.Attempt == nil || c.Attempt.State != payments.AttemptClosed {
				continue
			}
			if _, ok := c.Settle(c.Attempt.ID, payments.Outcome{Decision: d}, "msg", payments.Session{}, start); ok {
				t.Errorf("%s: %s of a closed attempt counts", from, d)
			}
		}
	}
}

// The change must not write into spare capacity that the checkout read shares.
func TestSettleDoesNotAppendInPlace(t *testing.T) {
	t.Parallel()
	c := states(t)["failed, pending"]
	shared := make([]payments.CheckoutTransaction, len(c.Transactions), 8)
	copy(shared, c.Transactions)
	c.Transactions = shared
	starts := make([]time.Time, len(c.AttemptStarts), 8)
	copy(starts, c.AttemptStarts)
	c.AttemptStarts = starts
	paid := settle(t, c, payments.Outcome{Decision: payments.Approved}, start)
	if spare := shared[:2][1]; spare != (payments.CheckoutTransaction{}) {
		t.Errorf("wrote %+v into the checkout read", spare)
	}
	closed := c
	closed.Attempt = paid.Checkout.Attempt
	begin(t, closed, attemptFor("attempt-2", payments.CardMethod), after(time.Minute))
	if spare := starts[:len(starts)+1][len(starts)]; !spare.IsZero() {
		t.Errorf("wrote %s into the checkout read", spare)
	}
}

func TestOnlyTheLastHundredTransactionsAreShown(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	for i := range 103 {
		id := "attempt-" + time.Duration(i).String()
		c = played(t, c, id, payments.Declined, after(time.Duration(i)*time.Hour))
	}
	if len(c.Transactions) != 100 || c.Transactions[99].ID != "attempt-102ns" || c.Transactions[0].ID != "attempt-3ns" {
		t.Errorf("%d, from %s to %s", len(c.Transactions), c.Transactions[0].ID, c.Transactions[len(c.Transactions)-1].ID)
	}
}

func TestCloseNotTaken(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]bool{
		"fresh": false, "failed": false, "pending": true, "failed, pending": true, "unknown": false,
		"requires action": false, "paid": false, "expired": false, "late, pending": true, "late, requires action": false,
	} {
		c := states(t)[from]
		change, ok := c.CloseNotTaken("attempt-1")
		if ok != want {
			t.Errorf("%s: %t", from, ok)
		}
		if !ok {
			continue
		}
		if change.Checkout.Status != c.Status || change.Checkout.Attempt.State != payments.AttemptClosed ||
			change.Transaction != nil || change.Callback != nil || change.Session != nil {
			t.Errorf("%s: %+v", from, change)
		}
		if c.Attempt.State != payments.AttemptPending {
			t.Errorf("%s: the checkout read was altered", from)
		}
		if _, again := change.Checkout.CloseNotTaken("attempt-1"); again {
			t.Errorf("%s: closed twice", from)
		}
		if _, other := c.CloseNotTaken("attempt-2"); other {
			t.Errorf("%s: another attempt was closed", from)
		}
	}
}

func TestCancelAttempt(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"requires action", "late, requires action"} {
		c := states(t)[from]
		frozen := snapshot(t, c)
		change := c.CancelAttempt(after(time.Minute))
		if change.Checkout.Status != payments.CheckoutPending || change.Checkout.Attempt.State != payments.AttemptClosed ||
			statusOf(change.Transaction) != payments.TransactionCancelled || change.Callback != nil || change.Session != nil {
			t.Errorf("%s: %+v", from, change)
		}
		if snapshot(t, c) != frozen {
			t.Errorf("%s: the checkout read was altered", from)
		}
		if !change.Transaction.Captured.IsZero() || !change.Transaction.UpdatedAt.Equal(after(time.Minute)) {
			t.Errorf("%s: %+v", from, change.Transaction)
		}
	}
	given := states(t)["requires action"].CancelAttempt(start).Checkout
	if next := begin(t, given, attemptFor("attempt-2", payments.CardMethod), start); next.Attempt.ID != "attempt-2" {
		t.Errorf("%+v", next.Attempt)
	}
}

func TestSessionBringsThePayerBack(t *testing.T) {
	t.Parallel()
	change := settle(t, states(t)["pending"], payments.Outcome{Decision: payments.Challenge}, start)
	want := payments.Session{TokenHash: "hash", CheckoutID: "checkout-1", AttemptID: "attempt-1",
		ExpiresAt: change.Checkout.Attempt.Deadline.Add(24 * time.Hour)}
	if change.Session == nil || *change.Session != want {
		t.Errorf("%+v", change.Session)
	}
}

func TestMoneyOfATransaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decision     payments.Decision
		verification bool
		captured     string
	}{
		{payments.Approved, false, "10.10"},
		{payments.Approved, true, "0.00"}, // contract §4.6: authorized, never captured
		{payments.Declined, false, "0.00"},
		{payments.Challenge, false, "0.00"},
		{payments.OutcomeUnknown, false, "0.00"},
	} {
		a := attemptFor("attempt-1", payments.CardMethod)
		a.Verification = c.verification
		got := settle(t, begin(t, newCheckout(), a, start), payments.Outcome{Decision: c.decision}, start).Transaction
		want := money.MustParse(c.captured, "EUR")
		if got.Captured != want || got.Refundable != want || got.Amount != money.MustParse("10.10", "EUR") {
			t.Errorf("%s: captured %s, refundable %s of %s", c.decision, got.Captured, got.Refundable, got.Amount)
		}
	}
}
