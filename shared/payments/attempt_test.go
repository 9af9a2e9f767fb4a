package payments_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"fresh", "failed", "valid for an hour"} {
		c := states(t)[from]
		frozen := snapshot(t, c)
		got := begin(t, c, attemptFor("attempt-5", payments.CardMethod), after(time.Minute))
		a := got.Attempt
		if a.ID != "attempt-5" || a.State != payments.AttemptPending || a.Installments != 1 ||
			!a.StartedAt.Equal(after(time.Minute)) || !a.NextPoll.Equal(after(2*time.Minute)) {
			t.Errorf("%s: %+v", from, a)
		}
		if got.Status != c.Status || len(got.AttemptStarts) != len(c.AttemptStarts)+1 ||
			len(got.Transactions) != len(c.Transactions) {
			t.Errorf("%s: %+v", from, got)
		}
		if snapshot(t, c) != frozen {
			t.Errorf("%s: the checkout read was altered", from)
		}
	}
	a := attemptFor("attempt-1", payments.CardMethod)
	a.Installments = 6
	if got := begin(t, newCheckout(), a, start).Attempt.Installments; got != 6 {
		t.Errorf("%d installments", got)
	}
}

// Contract §2.9: ten attempts an hour; the eleventh hears when it may.
func TestTenAttemptsAnHour(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	for i := range 10 {
		c = played(t, c, "attempt", payments.Declined, after(time.Duration(i)*time.Minute))
	}
	now := after(10 * time.Minute)
	_, err := c.Begin(attemptFor("eleventh", payments.CardMethod), now)
	var e *failure.Error
	if !errors.As(err, &e) || e.Kind != failure.KindTooMany || e.RetryAfter != 50*time.Minute {
		t.Fatalf("the eleventh: %v", err)
	}
	if _, err := c.Begin(attemptFor("eleventh", payments.CardMethod), now.Add(e.RetryAfter-time.Nanosecond)); !failure.Is(
		err, failure.KindTooMany) {
		t.Errorf("before its time: %v", err)
	}
	c = played(t, c, "eleventh", payments.Declined, now.Add(e.RetryAfter))
	if len(c.AttemptStarts) != 10 {
		t.Errorf("%d starts are kept", len(c.AttemptStarts))
	}
	if _, err := c.Begin(attemptFor("twelfth", payments.CardMethod), now.Add(e.RetryAfter)); !failure.Is(err,
		failure.KindTooMany) {
		t.Errorf("the twelfth: %v", err)
	}
}

// Contract §4.4, §4.5: how long the payer has.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method payments.Method
		code   *payments.PaymentCode
		want   time.Duration
	}{
		{payments.CardMethod, nil, 30 * time.Minute},
		{payments.IDEAL, nil, 30 * time.Minute},
		{payments.Boleto, nil, 72 * time.Hour},
		{payments.Pix, nil, 24 * time.Hour},
		{payments.QRCodePix, nil, 24 * time.Hour},
		{payments.Boleto, &payments.PaymentCode{Text: "0339", Until: after(100 * time.Hour)}, 100 * time.Hour},
	} {
		begun := begin(t, newCheckout(), attemptFor("attempt-1", c.method), start)
		o := payments.Outcome{Decision: payments.Voucher, Code: c.code}
		a := *settle(t, begun, o, after(time.Second)).Checkout.Attempt
		if !a.Deadline.Equal(after(c.want)) || a.Code != c.code {
			t.Errorf("%s: until %s", c.method, a.Deadline)
		}
		for _, waiting := range []payments.Decision{payments.Challenge, payments.Voucher} {
			o := payments.Outcome{Decision: waiting}
			if a.DeadlinePassed(o, after(c.want-1)) || !a.DeadlinePassed(o, after(c.want)) {
				t.Errorf("%s: %s does not end after %s", c.method, waiting, c.want)
			}
		}
		for _, moving := range []payments.Decision{payments.Approved, payments.Declined, payments.OutcomeUnknown,
			payments.Cancelled} {
			if a.DeadlinePassed(payments.Outcome{Decision: moving}, after(1000*time.Hour)) {
				t.Errorf("%s: cancels what is %s", c.method, moving)
			}
		}
	}
	pending := *states(t)["pending"].Attempt
	if pending.DeadlinePassed(payments.Outcome{Decision: payments.Challenge}, after(time.Hour)) {
		t.Error("the deadline passed before the payer had to act")
	}
}

// A retry of a request that was cut off goes on with its attempt.
func TestRunByAndRestartable(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]struct{ runBy, restartable bool }{
		"fresh": {false, true}, "pending": {true, false}, "unknown": {true, false},
		"requires action": {true, false}, "paid": {true, false}, "failed": {false, false},
	} {
		c := states(t)[from]
		if c.StartedBy("request-attempt-1") != want.runBy || c.Restartable() != want.restartable {
			t.Errorf("%s: run by %t, restartable %t", from, c.StartedBy("request-attempt-1"), c.Restartable())
		}
	}
	untaken, _ := states(t)["pending"].CloseNotTaken("attempt-1")
	cancelled := settle(t, states(t)["pending"], payments.Outcome{Decision: payments.Cancelled}, start)
	for name, c := range map[string]payments.Checkout{"never taken": untaken.Checkout, "cancelled": cancelled.Checkout} {
		if !c.StartedBy("request-attempt-1") || !c.Restartable() {
			t.Errorf("%s: may not begin again", name)
		}
	}
}
