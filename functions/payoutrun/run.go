// Package payoutrun runs payouts. Each message of the payout queue names one payout. The handler takes the payout's
// steps until the payout is final or has to wait, or the time is nearly up. The stored payout determines the next step,
// so repeated, late and lost messages do no harm.
package payoutrun

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// Run handles one message. An error leaves the message in the queue. If a payout is too large for one call, another
// message continues it.
func Run(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, consumer{App: a, payouts: banking.Open(a), messages: queue.OpenPayouts(a)}.runPayout)
}

type consumer struct {
	*app.App
	payouts  *run.Runner
	messages *queue.Payouts
}

// runPayout runs one payout. A chain of messages ends, because each call takes at least one step. A step either takes
// payables from before the cut-off, or applies the payout's outcome to further records.
func (c consumer) runPayout(ctx context.Context, t identity.Tenant, m app.PayoutMessage) error {
	done, err := c.payouts.Run(ctx, t, m.ID)
	switch {
	case failure.Is(err, failure.KindNotFound):
		c.Log.WarnContext(ctx, "message of an unknown payout dropped", "tenant", t.String(), "payout", m.ID)
		return nil
	case err != nil || done:
		return err
	default:
		return c.messages.Send(ctx, m)
	}
}
