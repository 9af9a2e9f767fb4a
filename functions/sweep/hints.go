package sweep

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

const (
	// hintsMinute is the minute of the hour in which a tick reads the acquirers' hints. It differs from the minutes in
	// which schedules tick.
	hintsMinute = 53
	// hintsTime is the age of the oldest hints that a tick reads. So a missed tick loses no hint.
	hintsTime = 2 * time.Hour
	// maxHints limits the hints of one mode that a tick resolves. Polls find the other outcomes.
	maxHints = 1000
	// hintWorkers is the number of hints of one mode that a tick resolves at the same time. They are not the workers of
	// due items, so that hints of a hanging acquirer do not delay due items.
	hintWorkers = 2
)

// resolveHints resolves hints of the mode's acquirer once an hour, because an acquirer's notice may be lost.
func (t *tick) resolveHints(ctx, reading context.Context, mode identity.Mode) {
	if t.at.Minute() != hintsMinute {
		return
	}
	if err := t.walkHints(ctx, reading, mode); err != nil && reading.Err() == nil {
		t.failures.Add(1)
		t.Log.ErrorContext(ctx, "hints not read", "mode", mode.Name(), "error", err)
	}
}

// walkHints resolves hints, a few at a time. It recovers a panic of the acquirer's client.
func (t *tick) walkHints(ctx, reading context.Context, mode identity.Mode) (err error) {
	var work errgroup.Group
	work.SetLimit(hintWorkers)
	defer func() { _ = work.Wait() }() // process has already logged the errors
	defer failure.Recover(&err)
	found := 0
	for h, err := range t.Processing.Hints(reading, mode, t.at.Add(-hintsTime)) {
		if err != nil {
			return err
		}
		if found++; found > maxHints {
			t.Log.WarnContext(ctx, "further hints left to polls", "mode", mode.Name(), "resolved", maxHints)
			break
		}
		work.Go(func() error {
			t.process(ctx, item{func(ctx context.Context) error { return t.Processing.ResolveHint(ctx, mode, h) },
				"hint not resolved", []any{"tenant", h.Tenant, "checkout", h.CheckoutID, "id", h.ID}})
			return nil
		})
		if reading.Err() != nil {
			break
		}
	}
	return nil
}
