// Package payoutrun takes the payouts that messages of the payout queue name
// as far as they go now. The payout's item decides, so repeated, late and lost
// messages are harmless.
package payoutrun

import (
	"context"
	"encoding/json"

	"golang.org/x/sync/singleflight"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// Run handles one message. An error leaves it in the queue. A payout too large
// for one call goes on with another message.
func Run(a *app.App) func(ctx context.Context, body string) error {
	return (&runner{App: a, payer: banking.Open(a), payouts: queue.OpenPayouts(a)}).run
}

type runner struct {
	*app.App
	payer   *payout.Payer
	payouts *queue.Payouts
	running singleflight.Group // by payout: a batch may repeat a message
}

func (r *runner) run(ctx context.Context, body string) error {
	var message app.PayoutMessage
	err := json.Unmarshal([]byte(body), &message)
	tenant, ok := account.ParseTenant(message.Tenant)
	if err != nil || !ok || message.ID == "" {
		r.Log.ErrorContext(ctx, "malformed message dropped", "bytes", len(body))
		return nil
	}
	_, err, _ = r.running.Do(message.Tenant+"#"+message.ID, func() (any, error) {
		return nil, r.take(ctx, tenant, message.ID)
	})
	return err
}

func (r *runner) take(ctx context.Context, t account.Tenant, id string) error {
	rests, err := r.payer.Run(ctx, t, id)
	switch {
	case failure.Is(err, failure.NotFound):
		r.Log.WarnContext(ctx, "message of an unknown payout dropped", "tenant", t.String(), "payout", id)
		return nil
	case err != nil || rests:
		return err
	default:
		return r.payouts.Send(ctx, t, id)
	}
}
