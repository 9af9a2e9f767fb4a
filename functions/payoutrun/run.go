// Package payoutrun takes the payouts that messages of the payout queue name
// as far as they go now. The payout's item decides, so repeated, late and lost
// messages are harmless.
package payoutrun

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// Run handles one message. An error leaves it in the queue. A payout too large
// for one call goes on with another message.
func Run(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, runner{App: a, payer: banking.Open(a), payouts: queue.OpenPayouts(a)}.take)
}

type runner struct {
	*app.App
	payer   *payout.Payer
	payouts *queue.Payouts
}

func (r runner) take(ctx context.Context, t identity.Tenant, m app.PayoutMessage) error {
	rests, err := r.payer.Run(ctx, t, m.ID)
	switch {
	case failure.Is(err, failure.NotFound):
		r.Log.WarnContext(ctx, "message of an unknown payout dropped", "tenant", t.String(), "payout", m.ID)
		return nil
	case err != nil || rests:
		return err
	default:
		return r.payouts.Send(ctx, t, m.ID)
	}
}
