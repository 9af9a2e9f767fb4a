package payments_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestPostponed_Doubles(t *testing.T) {
	t.Parallel()
	c, now := newCallback(t), start
	for i, seconds := range []time.Duration{2, 4, 8, 16, 32, 64, 64, 64} {
		c = c.Postponed(now, now)
		if wait := c.NextAt.Sub(now); wait < seconds*time.Second || wait >= seconds*time.Second*3/2 {
			t.Fatalf("postponement %d: got %s, want from %d s to half as much more", i+1, wait, seconds)
		}
		if c.State != outbox.Pending || c.Tries != 0 || c.FirstFailedAt != nil {
			t.Fatalf("postponed: got %s, %d tries, first failed at %v, want %s, 0, never", c.State, c.Tries, c.FirstFailedAt,
				outbox.Pending)
		}
		now = c.NextAt
	}
}

func TestPostponed_UntilBreakerLetsPass(t *testing.T) {
	t.Parallel()
	until := after(5 * time.Minute)
	if got := newCallback(t).Postponed(until, start).NextAt; got.Before(until) || got.After(until.Add(150*time.Second)) {
		t.Errorf("got it postponed until %s, want %s to 150 s more", got, until)
	}
}

// TestPostponed_Jitter checks that callbacks postponed together do not come back together.
func TestPostponed_Jitter(t *testing.T) {
	t.Parallel()
	bySecond := map[int]int{}
	for i := range 1000 {
		c := newCallback(t)
		c.ID = fmt.Sprintf("msg_%d", i)
		bySecond[int(c.Postponed(after(time.Minute), start).NextAt.Sub(after(time.Minute)).Seconds())]++
	}
	for second := range 30 {
		if n := bySecond[second]; n < 10 || n > 70 {
			t.Errorf("second %d: got %d tries, want about 33", second, n)
		}
	}
}

// TestPostponed_KeepsRetryTimes checks that a postponement moves one try, not the schedule (contract §11.3).
func TestPostponed_KeepsRetryTimes(t *testing.T) {
	t.Parallel()
	c := newCallback(t).Undelivered("timeout", start).Postponed(after(2*time.Minute), after(time.Minute))
	if c = c.Undelivered("timeout", c.NextAt); !c.NextAt.Equal(after(5 * time.Minute)) {
		t.Errorf("got the try after a postponement at %s, want %s", c.NextAt, after(5*time.Minute))
	}
	if c.Postponements != 0 || !c.PostponedSince.IsZero() {
		t.Errorf("after a try: got %d postponements since %s, want none", c.Postponements, c.PostponedSince)
	}
	postponed := newCallback(t).Postponed(start, start)
	for _, c := range []payments.Callback{postponed.Delivered(), postponed.Replayed(start)} {
		if c.Postponements != 0 || !c.PostponedSince.IsZero() {
			t.Errorf("%s: got %d postponements since %s, want none", c.State, c.Postponements, c.PostponedSince)
		}
	}
}

// TestPostponed_SweepAt checks that after a postponement the sweep is due a minute after the try. The messages that the
// sweep sent before the postponement no longer count.
func TestPostponed_SweepAt(t *testing.T) {
	t.Parallel()
	c := newCallback(t).Swept(after(time.Minute)).Swept(after(6*time.Minute)).Postponed(after(10*time.Minute),
		after(7*time.Minute))
	if behind := c.SweepAt().Sub(c.NextAt); behind != time.Minute {
		t.Errorf("got the sweep %s behind, want 1m", behind)
	}
	if c.IsDue(c.NextAt.Add(-6 * time.Second)) {
		t.Errorf("6 s before %s: got due true, want false", c.NextAt)
	}
}

func TestPostponedTooLong(t *testing.T) {
	t.Parallel()
	c := newCallback(t)
	if c.PostponedTooLong(after(1000 * time.Hour)) {
		t.Error("never postponed: got too long true, want false")
	}
	c = c.Postponed(start, start).Postponed(start, after(11*time.Hour))
	if early, due := c.PostponedTooLong(after(12*time.Hour-1)), c.PostponedTooLong(after(12*time.Hour)); early || !due {
		t.Errorf("before 12 h and then: got too long %t and %t, want false and true", early, due)
	}
}
