// Package payoutplan runs on a schedule. It opens the payout of every merchant
// whose period has ended, and has it run; it also resumes payouts whose runner
// was cut off, and those whose bank has to be polled. The table says what is
// due, so a missed, doubled or late tick does no harm.
package payoutplan

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/payoutrunner"
)

// lastStart is kept free at the end of the function's time, for the merchant
// in progress.
const lastStart = 15 * time.Second

// Tick plans what is due, or as much of it as the function's time allows; the
// next tick goes on. It fails when something could not be planned for another
// reason, so that alarms see it.
func Tick(a *app.App) func(context.Context) error {
	payouts, messages := banking.Open(a), queue.OpenPayouts(a)
	return func(ctx context.Context) error {
		starting, cancel := deadline.Early(ctx, lastStart)
		defer cancel()
		failures := make([]error, a.Store.DueShards())
		var group errgroup.Group
		for shard := range failures {
			group.Go(func() error {
				failures[shard] = payouts.Overdue(ctx, starting, shard, payoutrunner.AllTenants,
					func(planned payoutrunner.Planned) error {
						return messages.Send(ctx, planned.Tenant, planned.ID)
					})
				return nil
			})
		}
		_ = group.Wait()
		if starting.Err() != nil {
			a.Log.WarnContext(ctx, "the tick's time is up; the next goes on")
		}
		return errors.Join(failures...)
	}
}
