package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Resume asks the acquirer where the payer of a checkout goes on who has begun a challenge or is
// at a method's page, and may have come back, or loaded the payment page again. An outcome that
// the acquirer knows by then is recorded, so that the payer need not wait for the next poll.
// Without an answer the step is nil, as it is for any other checkout: nothing is recorded, since
// asking costs nothing and may be repeated every few seconds.
func (p *Processor) Resume(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, *Step,
	error) {
	if !c.RequiresAction() || c.Attempt.Method.Flow() == payments.VoucherFlow {
		return c, nil, nil
	}
	attempt := *c.Attempt
	o, err := askOnce(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t).LookUp(ctx, attempt.ID)
	})
	switch {
	case err != nil && !errors.Is(err, acquirer.ErrUnknownCharge):
		p.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", attempt.ID, "error", err)
		return c, nil, nil
	case err != nil || o.Decision == payments.OutcomeUnknown:
		return c, nil, nil
	case attempt.DeadlinePassed(o, p.Store.Now()):
		c, err = p.resolve(ctx, t, c)
		return c, nil, err
	case o.Decision == payments.Challenge:
		return c, p.step(c, attempt.ID, o), nil
	}
	c, err = p.settle(ctx, t, c, attempt.ID, o)
	return c, nil, err
}
