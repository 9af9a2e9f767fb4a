package payoutplan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestTick_EachShard checks that a tick sends one message for each shard, and ten messages in each call of the queue.
func TestTick_EachShard(t *testing.T) {
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

// TestTick_Interrupted checks that an interrupted tick returns an error, which triggers an alarm.
func TestTick_Interrupted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := payoutplan.Tick(w.App)(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
