// Package polls asks the acquirer about payments and refunds of unknown outcome,
// as soon as the time has come. A message of the poll queue only names one; its
// item decides, so repeated, late and lost messages are harmless. Package sweep
// asks about those for which no message came.
package polls

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// askTime bounds the questions to the acquirer that one message asks for. The
// rest of the function's time is for recording what it answers.
const askTime = 15 * time.Second

// Poll handles one message. An error leaves it in the queue.
func Poll(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, poller{a}.ask)
}

type poller struct{ *app.App }

func (p poller) ask(ctx context.Context, t identity.Tenant, m app.PollMessage) (err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
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
