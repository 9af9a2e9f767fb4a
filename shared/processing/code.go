package processing

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Voucher is a payment code with its checkout and tenant.
type Voucher struct {
	identity.Tenant
	payments.Checkout
	Code payments.PaymentCode
}

// Code finds the payment code (boleto, Pix) of a payer's link.
// Failure: NotFound.
func (p *Processor) Code(ctx context.Context, token string) (Voucher, error) {
	t, session, err := p.Store.Session(ctx, identity.Hash(token))
	if err != nil {
		return Voucher{}, err
	}
	c, err := p.Store.Checkout(ctx, t, session.CheckoutID)
	if err != nil {
		return Voucher{}, err
	}
	if c.Attempt == nil || c.Attempt.ID != session.AttemptID || c.Attempt.Code == nil {
		return Voucher{}, failure.NotFound("There is no such code.")
	}
	return Voucher{t, c, *c.Attempt.Code}, nil
}
