// Package deadline reserves some of a function's time for what must follow.
package deadline

import (
	"context"
	"time"
)

// Early returns a context that ends by the margin before any deadline of ctx, or with ctx. The caller must call cancel.
func Early(ctx context.Context, margin time.Duration) (early context.Context, cancel context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-margin))
}
