package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// tripped returns a breaker that has just opened.
func tripped() payments.Breaker {
	var b payments.Breaker
	for range 3 {
		b = b.Failed(false, start)
	}
	return b
}

func TestBreaker_OpensAfterThreeTimeouts(t *testing.T) {
	t.Parallel()
	var b payments.Breaker
	for i := range 2 {
		if b = b.Failed(false, start); b.Tripped() || b.Open(start) {
			t.Fatalf("after %d timeouts: got %+v, want it closed", i+1, b)
		}
	}
	if succeeded := b.Succeeded(); succeeded.Failed(false, start).Tripped() {
		t.Errorf("a timeout after an answer: got %+v, want it closed", succeeded.Failed(false, start))
	}
	b = b.Failed(false, start)
	if !b.Open(after(10*time.Second-1)) || b.Open(after(10*time.Second)) {
		t.Errorf("after three timeouts: got %+v, want it open until %s", b, after(10*time.Second))
	}
}

func TestBreaker_ProbeIntervals(t *testing.T) {
	t.Parallel()
	b, now := tripped(), start
	for _, seconds := range []time.Duration{10, 20, 40, 80, 160, 300, 300, 300} {
		if wait := b.OpenUntil.Sub(now); wait != seconds*time.Second {
			t.Fatalf("got the next probe after %s, want %d s", wait, seconds)
		}
		now = b.OpenUntil
		if b = b.ProbeStarted(now); !b.Open(now.Add(15*time.Second-1)) || b.Open(now.Add(15*time.Second)) {
			t.Fatalf("after a probe: got %+v, want it open until %s", b, now.Add(15*time.Second))
		}
		now = now.Add(10 * time.Second)
		b = b.Failed(true, now)
	}
	if b = b.Succeeded(); b.Tripped() || b.Open(now) || b.Failed(false, now).Tripped() {
		t.Errorf("after an answer: got %+v, want it closed, and after a timeout too", b)
	}
}

// TestBreaker_Stragglers checks that only probes count while the breaker is open. Some tries began before it opened,
// and end soon after. These tries do not count.
func TestBreaker_Stragglers(t *testing.T) {
	t.Parallel()
	b := tripped()
	for range 100 {
		if got := b.Failed(false, after(time.Second)); got != b {
			t.Fatalf("after a straggler: got %+v, want %+v", got, b)
		}
	}
}
