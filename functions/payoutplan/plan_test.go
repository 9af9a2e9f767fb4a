package payoutplan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestATickNamesEachShard, with a call for ten of them.
func TestATickNamesEachShard(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Main().Steps.Plan(0, 0)
	w.Tick("payoutplan")
	if calls, want := len(w.Main().Steps.Taken()), (w.App.Store.DueShards()+9)/10; calls != want {
		t.Errorf("got %d calls, want %d", calls, want)
	}
	if n := w.DrainQueues(); n != w.App.Store.DueShards() {
		t.Errorf("got %d messages, want %d", n, w.App.Store.DueShards())
	}
}

// TestATickThatIsCutOffFails, so that alarms see it.
func TestATickThatIsCutOffFails(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := payoutplan.Tick(w.App)(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
