package payments_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// newCallback returns the callback of a payment at start.
func newCallback(t testing.TB) payments.Callback {
	t.Helper()
	return *settle(t, states(t)["pending"], payments.Outcome{Decision: payments.Approved}, start).Callback
}

func TestCallback_ForCheckout(t *testing.T) {
	t.Parallel()
	want := payments.Callback{
		Entry:     outbox.Entry{ID: "msg_1", CreatedAt: start, NextAt: start, UpdatedAt: start, State: outbox.Pending},
		EventType: "CHECKOUT_STATUS_CHANGED", CheckoutID: "checkout-1", URL: returnURL, Status: payments.CheckoutPaid,
		ShowsStatus: true,
	}
	if diff := cmp.Diff(want, newCallback(t)); diff != "" {
		t.Errorf("callback (-want +got):\n%s", diff)
	}
	silent := states(t)["pending"]
	silent.ReturnURL = ""
	if change := settle(t, silent, payments.Outcome{Decision: payments.Approved}, start); change.Callback != nil {
		t.Errorf("without a return_url: got callback %+v, want none", change.Callback)
	}
}

// TestUndelivered_RetryTimes checks contract §11.3's times after the first failed try: 1 min, 5 min, 20 min, 2 h
// (published), then every 12 h until 3 days have passed, then dead.
func TestUndelivered_RetryTimes(t *testing.T) {
	t.Parallel()
	c := newCallback(t)
	failed := start.Add(3 * time.Second) // end of the first try
	now := failed
	for i, delay := range []time.Duration{
		time.Minute, 5 * time.Minute, 20 * time.Minute, 2 * time.Hour,
		12 * time.Hour, 24 * time.Hour, 36 * time.Hour, 48 * time.Hour, 60 * time.Hour, 72 * time.Hour,
	} {
		c = c.Undelivered("status 500", now)
		if !c.NextAt.Equal(failed.Add(delay)) || c.State != outbox.Pending {
			t.Fatalf("try %d at %s: got %s, next at %s, want %s, at %s", i+1, now, c.State, c.NextAt, outbox.Pending,
				failed.Add(delay))
		}
		want := newCallback(t)
		want.Tries, want.FirstFailedAt, want.NextAt, want.UpdatedAt = i+1, &failed, failed.Add(delay), now
		want.LastError = "status 500"
		if diff := cmp.Diff(want, c); diff != "" {
			t.Fatalf("try %d (-want +got):\n%s", i+1, diff)
		}
		now = c.NextAt
	}
	c = c.Undelivered("status 500", now)
	if c.State != outbox.Dead || c.Tries != 11 || !c.NextAt.Equal(now) {
		t.Errorf("after 72 h: got %s after %d tries, next at %s, want %s, 11, %s", c.State, c.Tries, c.NextAt,
			outbox.Dead, now)
	}
}

// TestUndelivered_LateTry checks that a late try does not move the time of the next try.
func TestUndelivered_LateTry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ late, next time.Duration }{
		{time.Minute, 5 * time.Minute},
		{4 * time.Minute, 5 * time.Minute},
		{5 * time.Minute, 20 * time.Minute},
		{3 * time.Hour, 12 * time.Hour},
		{12*time.Hour - 1, 12 * time.Hour},
		{71 * time.Hour, 72 * time.Hour},
	} {
		got := newCallback(t).Undelivered("refused", start).Undelivered("refused", after(c.late))
		if !got.NextAt.Equal(after(c.next)) || got.State != outbox.Pending {
			t.Errorf("second try after %s: got %s, next at %s, want %s, at %s", c.late, got.State, got.NextAt,
				outbox.Pending, after(c.next))
		}
	}
	if got := newCallback(t).Undelivered("refused", start).Undelivered("refused",
		after(100*time.Hour)); got.State != outbox.Dead {
		t.Errorf("second try after 100 h: got %s, want %s", got.State, outbox.Dead)
	}
}

func TestDelivered(t *testing.T) {
	t.Parallel()
	first, wantFirst := newCallback(t).Delivered(), newCallback(t)
	wantFirst.State, wantFirst.Tries = outbox.Delivered, 1
	if diff := cmp.Diff(wantFirst, first); diff != "" {
		t.Errorf("at the first try (-want +got):\n%s", diff)
	}
	failed := newCallback(t).Undelivered("refused", start)
	second, wantSecond := failed.Delivered(), failed
	wantSecond.State, wantSecond.Tries, wantSecond.LastError = outbox.Delivered, 2, ""
	if diff := cmp.Diff(wantSecond, second); diff != "" {
		t.Errorf("at the second try (-want +got):\n%s", diff)
	}
	for _, c := range []payments.Callback{first, second} {
		if c.IsDue(after(1000*time.Hour)) || c.Overdue(after(1000*time.Hour)) {
			t.Errorf("delivered: got due %t, overdue %t, want neither: %+v", c.IsDue(after(1000*time.Hour)),
				c.Overdue(after(1000*time.Hour)), c)
		}
	}
}

// TestReplayed checks that a replay keeps the id and begins the retries again.
func TestReplayed(t *testing.T) {
	t.Parallel()
	dead := newCallback(t).Undelivered("refused", start).Undelivered("refused", after(100*time.Hour))
	now := after(200 * time.Hour)
	got := dead.Replayed(now)
	want := newCallback(t)
	want.Tries, want.NextAt, want.UpdatedAt = dead.Tries, now, now
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("callback (-want +got):\n%s", diff)
	}
	if !got.IsDue(now) {
		t.Errorf("replayed at %s: got it due at %s, want at once", now, got.NextAt)
	}
	if next := got.Undelivered("refused", now); !next.NextAt.Equal(now.Add(time.Minute)) {
		t.Errorf("after a replay: got the retry at %s, want %s", next.NextAt, now.Add(time.Minute))
	}
	if dead.State != outbox.Dead || dead.FirstFailedAt == nil {
		t.Errorf("the dead callback: got %s, first failed at %v, want %s, and a time", dead.State, dead.FirstFailedAt,
			outbox.Dead)
	}
}

// TestSweepAt_QueueDelay checks that the sweep starts a try that is too late for SQS, which delays messages by at most
// 15 minutes.
func TestSweepAt_QueueDelay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait, delay time.Duration
		fast        bool
		sweep       time.Duration // after start
	}{
		{0, 0, true, time.Minute},
		{-time.Hour, 0, true, -time.Hour + time.Minute},
		{4 * time.Minute, 4 * time.Minute, true, 5 * time.Minute},
		{15 * time.Minute, 15 * time.Minute, true, 16 * time.Minute},
		{15*time.Minute + 1, 15*time.Minute + 1, false, 15*time.Minute + 1},
		{12 * time.Hour, 12 * time.Hour, false, 12 * time.Hour},
	} {
		cb := newCallback(t)
		cb.NextAt = after(c.wait)
		if delay, fast := outbox.QueueDelay(cb.NextAt, start); delay != c.delay || fast != c.fast {
			t.Errorf("%s to wait: got delay %s, fast %t, want %s, %t", c.wait, delay, fast, c.delay, c.fast)
		}
		if !cb.SweepAt().Equal(after(c.sweep)) {
			t.Errorf("%s to wait: got sweep at %s, want %s", c.wait, cb.SweepAt(), after(c.sweep))
		}
		if early, due := cb.Overdue(after(c.sweep-1)), cb.Overdue(after(c.sweep)); early || !due {
			t.Errorf("%s to wait: got overdue %t before the sweep and %t then, want false and true", c.wait, early, due)
		}
	}
}

// TestSweepAt_EveryRetry checks that the sweep follows a minute after each retry of the fast path. Retries that are too
// late for the fast path are made by the sweep.
func TestSweepAt_EveryRetry(t *testing.T) {
	t.Parallel()
	c := newCallback(t)
	for c.State == outbox.Pending {
		_, fast := outbox.QueueDelay(c.NextAt, c.UpdatedAt)
		want := map[bool]time.Duration{true: time.Minute}[fast]
		if behind := c.SweepAt().Sub(c.NextAt); behind != want {
			t.Fatalf("try %d, fast %t: got the sweep %s behind, want %s", c.Tries, fast, behind, want)
		}
		c = c.Undelivered("refused", c.NextAt)
	}
	if c.Tries != 11 {
		t.Errorf("got %d tries, want 11", c.Tries)
	}
}

// TestSweepAt_Swept checks that the sweep's messages for one try come at growing gaps, because an earlier message may
// still wait in a slow queue.
func TestSweepAt_Swept(t *testing.T) {
	t.Parallel()
	c := newCallback(t)
	now := c.SweepAt()
	for i, minutes := range []time.Duration{5, 10, 20, 40, 60, 60, 60, 60, 60, 60, 60} {
		c = c.Swept(now)
		if gap := c.SweepAt().Sub(now); gap != minutes*time.Minute {
			t.Fatalf("sweep %d: got the next one %s later, want %d min", i+1, gap, minutes)
		}
		now = c.SweepAt()
	}
	tried := c.Undelivered("refused", now)
	if behind := tried.SweepAt().Sub(tried.NextAt); behind != time.Minute {
		t.Errorf("after a try: got the sweep %s behind, want 1m", behind)
	}
	if replayed := c.Replayed(now); !replayed.SweepAt().Equal(now.Add(time.Minute)) {
		t.Errorf("after a replay: got the sweep at %s, want %s", replayed.SweepAt(), now.Add(time.Minute))
	}
}

// TestUndelivered_EarlyTry checks a try that a clock or queue made some seconds early. Such a try counts as made at its
// planned time, and must not be made again at that time.
func TestUndelivered_EarlyTry(t *testing.T) {
	t.Parallel()
	c := newCallback(t).Undelivered("refused", start)
	early := c.NextAt.Add(-5 * time.Second)
	if due, before := c.IsDue(early), c.IsDue(early.Add(-time.Nanosecond)); !due || before {
		t.Errorf("5 s before its time and earlier: got due %t and %t, want true and false", due, before)
	}
	if next := c.Undelivered("refused", early); !next.NextAt.Equal(after(5 * time.Minute)) {
		t.Errorf("got the next try at %s, want %s", next.NextAt, after(5*time.Minute))
	}
}
