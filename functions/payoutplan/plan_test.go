package payoutplan_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

type settings = map[string]any

// sold is a world in which shops with these settings have sold something yesterday.
func sold(t *testing.T, each ...settings) *world.World {
	t.Helper()
	w := world.New(t)
	t.Cleanup(w.CheckPayouts)
	for _, s := range each {
		shop := w.Shop().NewShop("DE", "EUR", nil)
		s["holder"], s["iban"] = "Laden", sandbox.PaidIBAN
		shop.SetPayout(s)
		shop.Sell("10")
	}
	w.Clock.Advance(24 * time.Hour)
	return w
}

// tick runs the schedule once and returns how many messages it sent.
func tick(t *testing.T, w *world.World) int {
	t.Helper()
	if err := w.Main().TickNow(t.Context(), "payoutplan"); err != nil {
		t.Fatal(err)
	}
	n, err := w.Main().DrainQueues(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func want(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d messages, want %d", what, got, want)
	}
}

// TestOneMessageForEachPayoutThatIsDue, and none for who is paid on demand, has no verified account or a longer period.
func TestOneMessageForEachPayoutThatIsDue(t *testing.T) {
	t.Parallel()
	w := sold(t, settings{}, settings{"period": "daily"}, settings{"on_demand": true}, settings{"verified": false},
		settings{"period": "monthly"})
	want(t, "the first tick", tick(t, w), 2)
	want(t, "doubled", tick(t, w), 0)
	w.Clock.Advance(16 * time.Minute)
	want(t, "to poll the bank", tick(t, w), 2)
	w.Clock.Advance(16 * time.Minute)
	want(t, "when all are paid", tick(t, w), 0)
}

// TestTicksThatWereMissedAreMadeUpForByOne.
func TestTicksThatWereMissedAreMadeUpForByOne(t *testing.T) {
	t.Parallel()
	w := sold(t, settings{})
	w.Clock.Advance(5 * 24 * time.Hour)
	want(t, "after five days", tick(t, w), 1)
	w.Clock.Advance(24 * time.Hour)
	want(t, "to poll the bank, after another", tick(t, w), 1)
	want(t, "then", tick(t, w), 0)
}

// TestATickAtTheEndOfItsTimeBeginsNothing, says so, and is no failure.
func TestATickAtTheEndOfItsTimeBeginsNothing(t *testing.T) {
	t.Parallel()
	w := sold(t, settings{})
	ctx, cancel := context.WithTimeout(t.Context(), 14*time.Second)
	defer cancel()
	if err := payoutplan.Tick(w.App)(ctx); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if log, want := w.Logs.String(), "the tick's time is up"; !strings.Contains(log, want) {
		t.Errorf("got log %s, want %q in it", log, want)
	}
	if n, err := w.Main().DrainQueues(t.Context()); err != nil || n != 0 {
		t.Errorf("got %d messages, error %v; want none", n, err)
	}
	want(t, "the next", tick(t, w), 1)
}

// TestATickThatIsCutOffFails, so that alarms see it; a later one does its work.
func TestATickThatIsCutOffFails(t *testing.T) {
	t.Parallel()
	w := sold(t, settings{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := payoutplan.Tick(w.App)(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	want(t, "the next", tick(t, w), 1)
}
