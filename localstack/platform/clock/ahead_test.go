package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func TestAhead_Now(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := clock.NewAhead(time.Hour)
		time.Sleep(time.Second)
		c.Advance(48 * time.Hour)
		time.Sleep(time.Second)
		if got, want := c.Now().Sub(began), 49*time.Hour+2*time.Second; got != want {
			t.Errorf("got %v since the start, want %v", got, want)
		}
		if got, want := c.Offset(), 49*time.Hour; got != want {
			t.Errorf("got offset %v, want %v", got, want)
		}
	})
}

// TestAhead_AdvanceFiresTimers also checks that the move brings other timers closer.
func TestAhead_AdvanceFiresTimers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, began := &clock.Ahead{}, time.Now()
		unmoved, passed, later := c.After(time.Second), c.After(time.Hour), c.After(3*time.Hour)
		waited := func(what string, fires <-chan time.Time, want time.Duration) {
			t.Helper()
			at := <-fires
			if got := time.Since(began); got != want || !at.Equal(c.Now()) {
				t.Errorf("%s: got %v after %v of real time, want %v after %v", what, at, got, c.Now(), want)
			}
		}
		waited("before the move", unmoved, time.Second)
		c.Advance(2 * time.Hour)
		waited("due by the move", passed, time.Second)
		waited("due later", later, time.Hour)
	})
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "15m": 15 * time.Minute,
		"36h": 36 * time.Hour, "7d": 168 * time.Hour, "2w": 336 * time.Hour,
		"": 0, "7": 0, "d": 0, "0d": 0, "-7d": 0, "7 d": 0, "1.5h": 0, "7D": 0, "1h30m": 0, "7y": 0,
		"99999999999999999999s": 0, "99999999w": 0} {
		if got, err := clock.ParseDuration(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %v and error %v, want %v (0: an error)", text, got, err, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", time.Millisecond: "0s", 90 * time.Second: "1m 30s",
		168 * time.Hour: "7d", 169*time.Hour + time.Second + 5: "7d 1h 1s"} {
		if got := clock.FormatDuration(d); got != want {
			t.Errorf("%d ns: got %q, want %q", d, got, want)
		}
	}
}
