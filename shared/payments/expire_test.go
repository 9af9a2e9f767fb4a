package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// guard has the errors that contract §4.5 requires for one state. "" means success.
type guard struct{ process, begin, update, deactivate string }

func TestCheckout_Guards(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]guard{
		"fresh":                 {},
		"failed":                {},
		"valid for an hour":     {},
		"pending":               {running, running, running, notNow},
		"failed, pending":       {running, running, running, notNow},
		"unknown":               {running, running, running, notNow},
		"requires action":       {"", running, running, ""},
		"paid":                  {alreadyPaid, alreadyPaid, alreadyPaid, alreadyPaid},
		"late, paid":            {alreadyPaid, alreadyPaid, alreadyPaid, alreadyPaid},
		"expired":               {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late":                  {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late, failed":          {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late, pending":         {sessionIsOver, sessionIsOver, running, notNow},
		"late, requires action": {sessionIsOver, sessionIsOver, running, ""},
	} {
		c := states(t)[from]
		frozen := snapshot(t, c)
		_, began := c.Begin(attemptFor("attempt-9", payments.CardMethod), payments.Source{}, start)
		got := guard{
			process: conflict(c.CheckProcessable(payments.Source{}, start)), begin: conflict(began),
			update: conflict(c.CheckUpdatable(start)), deactivate: conflict(c.CheckDeactivatable(start)),
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", from, got, want)
		}
		if _, err := c.Deactivate("msg", start); conflict(err) != want.deactivate {
			t.Errorf("%s, deactivated: got error %v, want %q", from, err, want.deactivate)
		}
		if got := snapshot(t, c); got != frozen {
			t.Errorf("%s: got the checkout read altered to %s, want %s", from, got, frozen)
		}
	}
}

func TestDeactivate(t *testing.T) {
	t.Parallel()
	now := after(time.Minute)
	for from, transaction := range map[string]payments.TransactionStatus{
		"fresh": "", "failed": "", "valid for an hour": "", "requires action": payments.TransactionCancelled,
		"late, requires action": payments.TransactionCancelled,
	} {
		c := states(t)[from]
		change, err := c.Deactivate("msg_2", now)
		if err != nil {
			t.Errorf("%s: got error %v, want none", from, err)
			continue
		}
		got := change.Checkout
		if got.Status != payments.CheckoutExpired || !got.ValidUntil.Equal(now) || !got.DueAt().IsZero() {
			t.Errorf("%s: got %s until %s, wake at %s, want %s until %s, never", from, got.Status, got.ValidUntil,
				got.DueAt(), payments.CheckoutExpired, now)
		}
		if statusOf(change.Transaction) != transaction || change.Session != nil {
			t.Errorf("%s: got transaction %q, session %+v, want %q, none", from, statusOf(change.Transaction), change.Session,
				transaction)
		}
		if change.Callback == nil || change.Callback.ID != "msg_2" || change.Callback.Status != payments.CheckoutExpired {
			t.Errorf("%s: got callback %+v, want msg_2 of %s", from, change.Callback, payments.CheckoutExpired)
		}
		if got.Attempt != nil && got.Attempt.State != payments.AttemptClosed {
			t.Errorf("%s: got attempt %s, want %s", from, got.Attempt.State, payments.AttemptClosed)
		}
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]bool{
		"fresh": false, "failed": false, "valid for an hour": false, "pending": false, "requires action": false,
		"paid": false, "expired": false, "late": true, "late, failed": true, "late, pending": false,
		"late, requires action": false, "late, paid": false,
	} {
		c := states(t)[from]
		change, ok := c.Expire("msg_3", start)
		if ok != want {
			t.Errorf("%s: got expired %t, want %t", from, ok, want)
		}
		if !ok {
			continue
		}
		expired := states(t)[from]
		expired.Status = payments.CheckoutExpired
		wanted := payments.CheckoutChange{Checkout: expired, Callback: &payments.Callback{
			Entry: outbox.New("msg_3", start), EventType: payments.EventCheckoutStatusChanged, ShowsStatus: true,
			CheckoutID: "checkout-1", URL: returnURL, Status: payments.CheckoutExpired}}
		if diff := differs(wanted, change); diff != "" {
			t.Errorf("%s (-want +got):\n%s", from, diff)
		}
		if diff := differs(states(t)[from], c); diff != "" {
			t.Errorf("%s: the checkout read was altered (-want +got):\n%s", from, diff)
		}
		if again, ok := change.Checkout.Expire("msg_4", after(time.Hour)); ok {
			t.Errorf("%s, expired again: got %+v, want no change", from, again)
		}
	}
}

// TestStatusAt checks that every read sees expiry at once, unless an attempt that began in time is open.
func TestStatusAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from  string
		later time.Duration
		want  payments.CheckoutStatus
	}{
		{"fresh", 1000 * time.Hour, payments.CheckoutPending},
		{"failed", 1000 * time.Hour, payments.CheckoutFailed},
		{"valid for an hour", time.Hour - time.Nanosecond, payments.CheckoutPending},
		{"valid for an hour", time.Hour, payments.CheckoutExpired},
		{"late", 0, payments.CheckoutExpired},
		{"late, failed", 0, payments.CheckoutExpired},
		{"late, pending", 0, payments.CheckoutPending},
		{"late, requires action", 0, payments.CheckoutPending},
		{"late, paid", 1000 * time.Hour, payments.CheckoutPaid},
		{"expired", 0, payments.CheckoutExpired},
	} {
		if got := states(t)[c.from].StatusAt(after(c.later)); got != c.want {
			t.Errorf("%s after %s: got %s, want %s", c.from, c.later, got, c.want)
		}
	}
	failed := settle(t, states(t)["late, pending"], payments.Outcome{Decision: payments.Declined}, start).Checkout
	if got := failed.StatusAt(start); got != payments.CheckoutExpired {
		t.Errorf("late and declined: got %s, want %s", got, payments.CheckoutExpired)
	}
}

func TestDueAt(t *testing.T) {
	t.Parallel()
	never := time.Time{}
	for from, want := range map[string]time.Time{
		"fresh": never, "failed": never, "paid": never, "expired": never, "late, paid": never,
		"valid for an hour": after(time.Hour), "late": start, "late, failed": start,
		"pending": after(time.Minute), "unknown": after(65 * time.Second), "requires action": after(time.Minute),
		"late, pending": after(time.Minute), "late, requires action": after(time.Minute),
	} {
		if got := states(t)[from].DueAt(); !got.Equal(want) {
			t.Errorf("%s: got wake at %s, want %s", from, got, want)
		}
	}
}
