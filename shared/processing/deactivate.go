package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Deactivate expires a checkout by the merchant's wish, once no open attempt
// of it can be charged any more (contract §4.5). Failures: NotFound,
// Conflict, Upstream.
func (p *Processor) Deactivate(ctx context.Context, t identity.Tenant, checkoutID string) (payments.Checkout, error) {
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil {
		return c, err
	}
	return p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		if err := c.CheckDeactivatable(p.Store.Now()); err != nil {
			return payments.CheckoutChange{}, false, err
		}
		// Cancelling one attempt may bring up another that was begun meanwhile.
		for c.RequiresAction() {
			if c, err = p.cancel(ctx, t, c); errors.Is(err, errAttemptPending) {
				err = payments.ErrAttemptPending
			}
			if err != nil {
				return payments.CheckoutChange{}, false, err
			}
		}
		change, err := c.Deactivate(messageID(), p.Store.Now())
		return change, err == nil, err
	})
}
