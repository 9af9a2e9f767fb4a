package payments_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	now := after(time.Minute)
	for _, from := range []string{"fresh", "failed", "valid for an hour"} {
		c := states(t)[from]
		got := begin(t, c, attemptFor("attempt-5", payments.CardMethod), now)
		want := states(t)[from]
		want.Attempt = &payments.Attempt{ID: "attempt-5", Operation: "request-attempt-5", State: payments.AttemptPending,
			Method: payments.CardMethod, PaymentType: "ECOM", Installments: 1, StartedAt: now,
			NextPoll: after(2 * time.Minute)}
		want.AttemptStarts = append(want.AttemptStarts, payments.AttemptStart{At: now})
		if diff := differs(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", from, diff)
		}
		if diff := differs(states(t)[from], c); diff != "" {
			t.Errorf("%s: the checkout read was altered (-want +got):\n%s", from, diff)
		}
	}
	a := attemptFor("attempt-1", payments.CardMethod)
	a.Installments = 6
	if got := begin(t, newCheckout(), a, start).Attempt.Installments; got != 6 {
		t.Errorf("got %d installments, want 6", got)
	}
}

// TestSettle_PayerDeadline checks the payer's time for each method (contract §4.4, §4.5).
func TestSettle_PayerDeadline(t *testing.T) {
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
			t.Errorf("%s: got deadline %s, code %v, want %s, %v", c.method, a.Deadline, a.Code, after(c.want), c.code)
		}
		for _, waiting := range []payments.Decision{payments.Challenge, payments.Voucher} {
			o := payments.Outcome{Decision: waiting}
			if early, due := a.DeadlinePassed(o, after(c.want-1)), a.DeadlinePassed(o, after(c.want)); early || !due {
				t.Errorf("%s, %s: got passed %t before %s and %t then, want false and true", c.method, waiting, early, c.want,
					due)
			}
		}
		for _, moving := range []payments.Decision{payments.Approved, payments.Declined, payments.OutcomeUnknown,
			payments.Cancelled} {
			if a.DeadlinePassed(payments.Outcome{Decision: moving}, after(1000*time.Hour)) {
				t.Errorf("%s, %s: got deadline passed, want it to have no effect", c.method, moving)
			}
		}
	}
	pending := *states(t)["pending"].Attempt
	if pending.DeadlinePassed(payments.Outcome{Decision: payments.Challenge}, after(time.Hour)) {
		t.Error("before the payer has to act: got deadline passed true, want false")
	}
}

// TestCheckout_StartedByAndRestartable checks that a retry of a request that was cut off continues its attempt.
func TestCheckout_StartedByAndRestartable(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]struct{ StartedBy, Restartable bool }{
		"fresh": {false, true}, "pending": {true, false}, "unknown": {true, false},
		"requires action": {true, false}, "paid": {true, false}, "failed": {false, false},
	} {
		c := states(t)[from]
		got := struct{ StartedBy, Restartable bool }{c.StartedBy("request-attempt-1"), c.Restartable()}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", from, got, want)
		}
	}
	untaken, _ := states(t)["pending"].CloseNotTaken("attempt-1")
	cancelled := settle(t, states(t)["pending"], payments.Outcome{Decision: payments.Cancelled}, start)
	for name, c := range map[string]payments.Checkout{"not taken": untaken.Checkout, "cancelled": cancelled.Checkout} {
		if !c.StartedBy("request-attempt-1") || !c.Restartable() {
			t.Errorf("%s: got started by the request %t, restartable %t, want both true", name,
				c.StartedBy("request-attempt-1"), c.Restartable())
		}
	}
}

// TestSuperseded checks that the page's earlier attempts are known as superseded, and the latest attempt is not.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	for i := range 53 {
		a := attemptFor(fmt.Sprint("attempt-", i), payments.CardMethod)
		if i != 1 {
			a.Browser = "browser"
		}
		now := after(time.Duration(i) * 2 * time.Minute)
		c = settle(t, begin(t, c, a, now), payments.Outcome{Decision: payments.Declined}, now).Checkout
	}
	for i := range 54 {
		want := i >= 2 && i < 52 // the fifty attempts before the last; attempt 1 did not begin on the page
		if got := c.Superseded(fmt.Sprint("request-attempt-", i)); got != want {
			t.Errorf("attempt %d: got superseded %t, want %t", i, got, want)
		}
	}
	if c.Attempt.Browser != "browser" {
		t.Errorf("got browser %q, want it kept when the attempt is closed", c.Attempt.Browser)
	}
	if (payments.Checkout{}).Superseded("") {
		t.Error("without an attempt: got superseded true, want false")
	}
}
