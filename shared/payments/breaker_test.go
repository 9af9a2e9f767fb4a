package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// tripped is a breaker that has just opened.
func tripped() payments.Breaker {
	var b payments.Breaker
	for range 3 {
		b = b.Failed(false, start)
	}
	return b
}

func TestABreakerOpensAfterThreeTimeoutsInARow(t *testing.T) {
	t.Parallel()
	var b payments.Breaker
	for i := range 2 {
		if b = b.Failed(false, start); b.Tripped() || b.Open(start) {
			t.Fatalf("open after %d", i+1)
		}
	}
	if succeeded := b.Succeeded(); succeeded.Failed(false, start).Tripped() {
		t.Error("an answer between them does not count")
	}
	b = b.Failed(false, start)
	if !b.Open(after(10*time.Second-1)) || b.Open(after(10*time.Second)) {
		t.Errorf("not open for exactly 10 s: %+v", b)
	}
}

func TestProbesGrowRarerUntilOneIsAnswered(t *testing.T) {
	t.Parallel()
	b, now := tripped(), start
	for _, seconds := range []time.Duration{10, 20, 40, 80, 160, 300, 300, 300} {
		if wait := b.OpenUntil.Sub(now); wait != seconds*time.Second {
			t.Fatalf("the next probe is %s later, want %d s", wait, seconds)
		}
		now = b.OpenUntil
		if b = b.ProbeStarted(now); !b.Open(now.Add(15*time.Second-1)) || b.Open(now.Add(15*time.Second)) {
			t.Fatalf("a second probe may not pass for exactly 15 s: %+v", b)
		}
		now = now.Add(10 * time.Second)
		b = b.Failed(true, now)
	}
	if b = b.Succeeded(); b.Tripped() || b.Open(now) || b.Failed(false, now).Tripped() {
		t.Errorf("answered, yet %+v", b)
	}
}

// Of the tries under way when it opens, all end soon after. They must not
// count as probes.
func TestStragglersDoNotKeepABreakerOpen(t *testing.T) {
	t.Parallel()
	b := tripped()
	for range 100 {
		if b.Failed(false, after(time.Second)) != b {
			t.Fatalf("altered: %+v", b.Failed(false, after(time.Second)))
		}
	}
}
