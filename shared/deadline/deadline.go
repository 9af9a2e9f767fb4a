// Package deadline reserves time at the end of a function's run, for the work that must follow. Call Early.
package deadline

import (
	"context"
	"time"
)

// Early returns a context that ends with ctx, at the latest the margin before ctx's deadline. The caller must call
// cancel.
func Early(ctx context.Context, margin time.Duration) (early context.Context, cancel context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-margin))
}
