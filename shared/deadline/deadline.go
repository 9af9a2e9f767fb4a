// Package deadline reserves time at the end of a function's run for work that must still follow. Call Early.
package deadline

import (
	"context"
	"time"
)

// Early returns a context that ends at the given margin before the deadline of ctx. If ctx ends earlier or has no
// deadline, the context ends with ctx. The caller must call cancel.
func Early(ctx context.Context, margin time.Duration) (early context.Context, cancel context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-margin))
}
