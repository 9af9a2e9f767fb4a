// Package polls asks the acquirer for the outcomes of payments and refunds, as soon as a poll is due. Poll handles one
// message. The stored item decides what to do, so repeated and late messages do no harm. Lost messages do no harm
// either, because package sweep polls too.
package polls

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// pollTime limits the acquirer calls for one message. The rest of the function's time is for recording.
const pollTime = 15 * time.Second

// Poll handles one message. An error leaves the message in the queue.
func Poll(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, poller{a}.poll)
}

type poller struct{ *app.App }

func (p poller) poll(ctx context.Context, t identity.Tenant, m app.PollMessage) (err error) {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	if m.Refund != "" {
		err = p.Processing.ResolveRefundDue(ctx, t, m.Refund)
	} else {
		err = p.Processing.ResolveDue(ctx, t, m.Checkout)
	}
	if failure.Is(err, failure.KindNotFound) {
		p.Log.WarnContext(ctx, "message of an unknown payment dropped", "tenant", m.Tenant, "checkout",
			m.Checkout, "refund", m.Refund)
		return nil
	}
	return err
}
