package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// guard is what contract §4.5 answers in a state, "" for leave.
type guard struct{ process, begin, update, deactivate string }

func TestGuards(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]guard{
		"fresh":             {},
		"failed":            {},
		"valid for an hour": {},
		"deciding":          {running, running, running, notNow},
		"failed, deciding":  {running, running, running, notNow},
		"undecided":         {running, running, running, notNow},
		"with payer":        {"", running, running, ""},
		"paid":              {alreadyPaid, alreadyPaid, alreadyPaid, alreadyPaid},
		"late, paid":        {alreadyPaid, alreadyPaid, alreadyPaid, alreadyPaid},
		"expired":           {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late":              {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late, failed":      {sessionIsOver, sessionIsOver, sessionIsOver, notAgain},
		"late, deciding":    {sessionIsOver, sessionIsOver, running, notNow},
		"late, with payer":  {sessionIsOver, sessionIsOver, running, ""},
	} {
		c := states(t)[from]
		frozen := snapshot(t, c)
		_, began := c.Begin(attemptFor("attempt-9", payments.CardMethod), start)
		got := guard{
			process: conflict(c.CheckProcessable(start)), begin: conflict(began),
			update: conflict(c.CheckUpdatable(start)), deactivate: conflict(c.CheckDeactivatable(start)),
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", from, got, want)
		}
		if _, err := c.Deactivate("msg", start); conflict(err) != want.deactivate {
			t.Errorf("%s: Deactivate answers %v", from, err)
		}
		if snapshot(t, c) != frozen {
			t.Errorf("%s: the checkout read was altered", from)
		}
	}
}

func TestDeactivate(t *testing.T) {
	t.Parallel()
	now := after(time.Minute)
	for from, transaction := range map[string]payments.TransactionStatus{
		"fresh": "", "failed": "", "valid for an hour": "", "with payer": payments.TransactionCanceled,
		"late, with payer": payments.TransactionCanceled,
	} {
		c := states(t)[from]
		change, err := c.Deactivate("msg_2", now)
		if err != nil {
			t.Errorf("%s: %v", from, err)
			continue
		}
		got := change.Checkout
		if got.Status != payments.Expired || !got.ValidUntil.Equal(now) || !got.WakeAt().IsZero() {
			t.Errorf("%s: %s until %s", from, got.Status, got.ValidUntil)
		}
		if statusOf(change.Transaction) != transaction || change.Session != nil {
			t.Errorf("%s: transaction %q", from, statusOf(change.Transaction))
		}
		if change.Callback == nil || change.Callback.ID != "msg_2" || change.Callback.Status != payments.Expired {
			t.Errorf("%s: callback %+v", from, change.Callback)
		}
		if got.Attempt != nil && got.Attempt.State != payments.Closed {
			t.Errorf("%s: the attempt is still open", from)
		}
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]bool{
		"fresh": false, "failed": false, "valid for an hour": false, "deciding": false, "with payer": false,
		"paid": false, "expired": false, "late": true, "late, failed": true, "late, deciding": false,
		"late, with payer": false, "late, paid": false,
	} {
		c := states(t)[from]
		change, ok := c.Expire("msg_3", start)
		if ok != want {
			t.Errorf("%s expires: %t", from, ok)
		}
		if !ok {
			continue
		}
		if change.Checkout.Status != payments.Expired || change.Transaction != nil || c.Status == payments.Expired ||
			change.Callback == nil || change.Callback.Status != payments.Expired {
			t.Errorf("%s: %+v", from, change)
		}
		if _, again := change.Checkout.Expire("msg_4", after(time.Hour)); again {
			t.Errorf("%s: expired twice", from)
		}
	}
}

// Every read sees expiry at once; an attempt that was begun in time holds it off.
func TestStatusAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from  string
		later time.Duration
		want  payments.Status
	}{
		{"fresh", 1000 * time.Hour, payments.Pending},
		{"failed", 1000 * time.Hour, payments.Failed},
		{"valid for an hour", time.Hour - time.Nanosecond, payments.Pending},
		{"valid for an hour", time.Hour, payments.Expired},
		{"late", 0, payments.Expired},
		{"late, failed", 0, payments.Expired},
		{"late, deciding", 0, payments.Pending},
		{"late, with payer", 0, payments.Pending},
		{"late, paid", 1000 * time.Hour, payments.Paid},
		{"expired", 0, payments.Expired},
	} {
		if got := states(t)[c.from].StatusAt(after(c.later)); got != c.want {
			t.Errorf("%s after %s: %s", c.from, c.later, got)
		}
	}
	failed := settle(t, states(t)["late, deciding"], payments.Outcome{Decision: payments.Declined}, start).Checkout
	if got := failed.StatusAt(start); got != payments.Expired {
		t.Errorf("late and declined: %s", got)
	}
}

func TestWakeAt(t *testing.T) {
	t.Parallel()
	never := time.Time{}
	for from, want := range map[string]time.Time{
		"fresh": never, "failed": never, "paid": never, "expired": never, "late, paid": never,
		"valid for an hour": after(time.Hour), "late": start, "late, failed": start,
		"deciding": after(time.Minute), "undecided": after(65 * time.Second), "with payer": after(time.Minute),
		"late, deciding": after(time.Minute), "late, with payer": after(time.Minute),
	} {
		if got := states(t)[from].WakeAt(); !got.Equal(want) {
			t.Errorf("%s wakes at %s, want %s", from, got, want)
		}
	}
}
