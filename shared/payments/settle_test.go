package payments_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// settled is the state of a checkout after an acquirer's answer.
type settled struct {
	Status      payments.CheckoutStatus
	Transaction payments.TransactionStatus // "": none is written
	Attempt     payments.AttemptState
	Session     bool
	Callback    bool
}

// TestSettle checks the effect of an acquirer's answer in each state (contract §4.5). A challenge ends after 30
// minutes. Answers come at start, except the last answers to a challenge.
func TestSettle(t *testing.T) {
	t.Parallel()
	const (
		paid, failed, pending = payments.CheckoutPaid, payments.CheckoutFailed, payments.CheckoutPending

		none     = payments.TransactionStatus("")
		open     = payments.TransactionPending
		captured = payments.TransactionSuccessful
		declined = payments.TransactionFailed

		runs, waits, closed = payments.AttemptPending, payments.AttemptRequiresAction, payments.AttemptClosed

		deadline = 30 * time.Minute
	)
	for _, c := range []struct {
		from     string
		decision payments.Decision
		later    time.Duration
		want     settled
	}{
		{"pending", payments.Approved, 0, settled{paid, captured, closed, false, true}},
		{"pending", payments.Declined, 0, settled{failed, declined, closed, false, true}},
		{"pending", payments.Challenge, 0, settled{pending, open, waits, true, false}},
		{"pending", payments.Voucher, 0, settled{pending, open, waits, true, false}},
		{"pending", payments.OutcomeUnknown, 0, settled{pending, open, runs, false, false}},
		{"pending", payments.Cancelled, 0, settled{pending, none, closed, false, false}},

		{"failed, pending", payments.Approved, 0, settled{paid, captured, closed, false, true}},
		{"failed, pending", payments.Declined, 0, settled{failed, declined, closed, false, true}},
		{"failed, pending", payments.Challenge, 0, settled{pending, open, waits, true, false}},
		{"failed, pending", payments.Voucher, 0, settled{pending, open, waits, true, false}},
		{"failed, pending", payments.OutcomeUnknown, 0, settled{pending, open, runs, false, false}},
		{"failed, pending", payments.Cancelled, 0, settled{failed, none, closed, false, false}},

		{"unknown", payments.Approved, 0, settled{paid, captured, closed, false, true}},
		{"unknown", payments.Declined, 0, settled{failed, declined, closed, false, true}},
		{"unknown", payments.Challenge, 0, settled{pending, open, waits, true, false}},
		{"unknown", payments.OutcomeUnknown, 0, settled{pending, none, runs, false, false}},
		{"unknown", payments.Cancelled, 0, settled{failed, declined, closed, false, true}},

		{"requires action", payments.Approved, 0, settled{paid, captured, closed, false, true}},
		{"requires action", payments.Declined, 0, settled{failed, declined, closed, false, true}},
		{"requires action", payments.Challenge, 0, settled{pending, none, waits, false, false}},
		{"requires action", payments.Voucher, 0, settled{pending, none, waits, false, false}},
		{"requires action", payments.OutcomeUnknown, 0, settled{pending, none, waits, false, false}},
		{"requires action", payments.Cancelled, deadline - 1,
			settled{pending, payments.TransactionCancelled, closed, false, false}},
		{"requires action", payments.Cancelled, deadline, settled{failed, declined, closed, false, true}},
		{"requires action", payments.Approved, 48 * time.Hour, settled{paid, captured, closed, false, true}},

		// An attempt that began before valid_until may still pay.
		{"late, pending", payments.Approved, 0, settled{paid, captured, closed, false, true}},
		{"late, pending", payments.Declined, 0, settled{failed, declined, closed, false, true}},
		{"late, pending", payments.Challenge, 0, settled{pending, open, waits, true, false}},
		{"late, requires action", payments.Approved, 0, settled{paid, captured, closed, false, true}},
	} {
		before := states(t)[c.from]
		change := settle(t, before, payments.Outcome{Decision: c.decision}, after(c.later))
		got := settled{change.Checkout.Status, statusOf(change.Transaction), change.Checkout.Attempt.State,
			change.Session != nil, change.Callback != nil}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.from, c.decision, diff)
		}
		if diff := differs(states(t)[c.from], before); diff != "" {
			t.Errorf("%s, %s: the checkout read was altered (-want +got):\n%s", c.from, c.decision, diff)
		}
		if got, want := change.Checkout.Version, before.Version; got != want {
			t.Errorf("%s, %s: got version %d, want %d", c.from, c.decision, got, want)
		}
	}
}

func statusOf(t *payments.Transaction) payments.TransactionStatus {
	if t == nil {
		return ""
	}
	return t.Status
}

// TestSettle_OneTransactionPerAttempt checks that each attempt has one transaction in its checkout, with its status.
func TestSettle_OneTransactionPerAttempt(t *testing.T) {
	t.Parallel()
	c := attempted(t, newCheckout(), "attempt-1", payments.Declined, start)
	c = attempted(t, c, "attempt-2", payments.Challenge, after(time.Minute))
	c = settle(t, c, payments.Outcome{Decision: payments.Approved, AuthCode: "A1"}, after(2*time.Minute)).Checkout
	transaction := func(id string, status payments.TransactionStatus, authCode string,
		at time.Time) payments.CheckoutTransaction {
		return payments.CheckoutTransaction{ID: id, Code: payments.CodeOfID(id), Amount: eur("10.10"), Status: status,
			PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY", Installments: 1, MerchantCode: "MC0A1B2C3D",
			AuthCode: authCode, CreatedAt: at}
	}
	last := transaction("attempt-2", payments.TransactionSuccessful, "A1", after(time.Minute))
	want := []payments.CheckoutTransaction{transaction("attempt-1", payments.TransactionFailed, "", start), last}
	if diff := differs(want, c.Transactions); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	got, ok := c.SuccessfulTransaction()
	if diff := differs(last, got); !ok || diff != "" {
		t.Errorf("the successful one: got found %t, want true (-want +got):\n%s", ok, diff)
	}
	if got, ok := newCheckout().SuccessfulTransaction(); ok {
		t.Errorf("a fresh checkout: got the successful transaction %+v, want none", got)
	}
}

// TestSettle_LateOrRepeatedAnswer checks that an answer that comes late, twice or for another attempt changes nothing.
func TestSettle_LateOrRepeatedAnswer(t *testing.T) {
	t.Parallel()
	decisions := []payments.Decision{payments.Approved, payments.Declined, payments.Challenge,
		payments.Voucher, payments.OutcomeUnknown, payments.Cancelled}
	for from, c := range states(t) {
		for _, d := range decisions {
			if _, ok := c.Settle("attempt-of-old", payments.Outcome{Decision: d}, "msg", payments.Session{}, start); ok {
				t.Errorf("%s, %s of an unknown attempt: got a change, want none", from, d)
			}
			if c.Attempt == nil || c.Attempt.State != payments.AttemptClosed {
				continue
			}
			if _, ok := c.Settle(c.Attempt.ID, payments.Outcome{Decision: d}, "msg", payments.Session{}, start); ok {
				t.Errorf("%s, %s of a closed attempt: got a change, want none", from, d)
			}
		}
	}
}

// TestSettle_CopiesTransactions checks that a change does not write into spare capacity of the stored checkout's list.
func TestSettle_CopiesTransactions(t *testing.T) {
	t.Parallel()
	c := states(t)["failed, pending"]
	shared := make([]payments.CheckoutTransaction, len(c.Transactions), 8)
	copy(shared, c.Transactions)
	c.Transactions = shared
	starts := make([]payments.AttemptStart, len(c.AttemptStarts), 8)
	copy(starts, c.AttemptStarts)
	c.AttemptStarts = starts
	paid := settle(t, c, payments.Outcome{Decision: payments.Approved}, start)
	if spare := shared[:2][1]; spare != (payments.CheckoutTransaction{}) {
		t.Errorf("the checkout read: got transaction %+v written into it, want none", spare)
	}
	closed := c
	closed.Attempt = paid.Checkout.Attempt
	begin(t, closed, attemptFor("attempt-2", payments.CardMethod), after(time.Minute))
	if spare := starts[:len(starts)+1][len(starts)]; !spare.At.IsZero() {
		t.Errorf("the checkout read: got start %+v written into it, want none", spare)
	}
}

func TestSettle_MaxTransactions(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	var want, got []string
	for i := range 103 {
		id := fmt.Sprint("attempt-", i)
		c = attempted(t, c, id, payments.Declined, after(time.Duration(i)*time.Hour))
		want = append(want, id)
	}
	for _, transaction := range c.Transactions {
		got = append(got, transaction.ID)
	}
	if diff := cmp.Diff(want[3:], got); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
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
			t.Errorf("%s: got closed %t, want %t", from, ok, want)
		}
		if !ok {
			continue
		}
		closed := states(t)[from]
		closed.Attempt = &payments.Attempt{ID: "attempt-1", Operation: "request-attempt-1", State: payments.AttemptClosed,
			Method: payments.CardMethod}
		if diff := differs(payments.CheckoutChange{Checkout: closed}, change); diff != "" {
			t.Errorf("%s (-want +got):\n%s", from, diff)
		}
		if diff := differs(states(t)[from], c); diff != "" {
			t.Errorf("%s: the checkout read was altered (-want +got):\n%s", from, diff)
		}
		if again, closes := change.Checkout.CloseNotTaken("attempt-1"); closes {
			t.Errorf("%s, closed again: got %+v, want no change", from, again)
		}
		if other, closes := c.CloseNotTaken("attempt-2"); closes {
			t.Errorf("%s, another attempt: got %+v, want no change", from, other)
		}
	}
}

func TestCancelAttempt(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"requires action", "late, requires action"} {
		c := states(t)[from]
		change := c.CancelAttempt(after(time.Minute))
		got := settled{change.Checkout.Status, statusOf(change.Transaction), change.Checkout.Attempt.State,
			change.Session != nil, change.Callback != nil}
		want := settled{payments.CheckoutPending, payments.TransactionCancelled, payments.AttemptClosed, false, false}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", from, diff)
		}
		if diff := differs(states(t)[from], c); diff != "" {
			t.Errorf("%s: the checkout read was altered (-want +got):\n%s", from, diff)
		}
		if captured := change.Transaction.Captured; !captured.IsZero() {
			t.Errorf("%s: got captured %s, want 0", from, captured)
		}
		if at := change.Transaction.UpdatedAt; !at.Equal(after(time.Minute)) {
			t.Errorf("%s: got updated at %s, want %s", from, at, after(time.Minute))
		}
	}
	closed := states(t)["requires action"].CancelAttempt(start).Checkout
	if next := begin(t, closed, attemptFor("attempt-2", payments.CardMethod), start); next.Attempt.ID != "attempt-2" {
		t.Errorf("the next attempt: got %s, want attempt-2", next.Attempt.ID)
	}
}

func TestSettle_Session(t *testing.T) {
	t.Parallel()
	change := settle(t, states(t)["pending"], payments.Outcome{Decision: payments.Challenge}, start)
	want := payments.Session{TokenHash: "hash", CheckoutID: "checkout-1", AttemptID: "attempt-1",
		ExpiresAt: change.Checkout.Attempt.Deadline.Add(24 * time.Hour)}
	if diff := cmp.Diff(&want, change.Session); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
}

func TestSettle_Amounts(t *testing.T) {
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
		{payments.Challenge, true, "0.00"},
		{payments.OutcomeUnknown, false, "0.00"},
	} {
		a := attemptFor("attempt-1", payments.CardMethod)
		a.Verification = c.verification
		got := settle(t, begin(t, newCheckout(), a, start), payments.Outcome{Decision: c.decision}, start).Transaction
		want, of := eur(c.captured), eur("10.10")
		if c.verification {
			of = eur("0")
		}
		if got.Captured != want || got.Refundable != want || got.Amount != of {
			t.Errorf("%s: got captured %s, refundable %s of %s, want %s, %s of %s", c.decision, got.Captured,
				got.Refundable, got.Amount, want, want, of)
		}
	}
}
