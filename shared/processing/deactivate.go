package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Deactivate expires a checkout at the merchant's request, after cancelling its
// open attempt (contract §4.5). Failures: NotFound, Conflict, Upstream.
func (p *Processor) Deactivate(ctx context.Context, t identity.Tenant, checkoutID string) (payments.Checkout, error) {
	read, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil {
		return read, err
	}
	return p.change(ctx, t, read, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		err := c.CheckDeactivatable(p.Store.Now())
		if err != nil {
			return payments.CheckoutChange{}, false, err
		}
		// After one attempt is cancelled there may be another that was begun meanwhile.
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
