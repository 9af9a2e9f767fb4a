package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Complete sends the payer's answer to a 3DS challenge to the acquirer (contract
// §4.4). A repeated or late call changes nothing. Failures: NotFound for an
// unknown session, Malformed for an answer that is not the issuer's, Upstream
// when the acquirer gives no answer.
func (p *Processor) Complete(ctx context.Context, checkoutID, md, answer string) (payments.Checkout, error) {
	t, session, err := p.Store.Session(ctx, identity.Hash(md))
	if err == nil && session.CheckoutID != checkoutID {
		err = failure.NotFound("There is no such checkout.").WithSlug("checkout-not-found")
	}
	if err != nil {
		return payments.Checkout{}, err
	}
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil || c.Attempt == nil || c.Attempt.ID != session.AttemptID || c.Attempt.State == payments.AttemptClosed {
		return c, err
	}
	o, err := p.answer(ctx, t, session.AttemptID, answer)
	if err != nil {
		return c, err
	}
	return p.settle(ctx, t, c, session.AttemptID, o)
}

// answer sends the payer's answer to the acquirer, and again when the first reply
// is lost. Only the payer's browser has the answer, so if that fails too the
// browser has to repeat the request: the answer stays valid.
func (p *Processor) answer(ctx context.Context, t identity.Tenant, attemptID, answer string) (payments.Outcome, error) {
	a := p.acquirer(t)
	o, err := a.Complete(ctx, attemptID, answer)
	if err != nil && !errors.Is(err, acquirer.ErrBadAnswer) && ctx.Err() == nil {
		o, err = a.Complete(ctx, attemptID, answer)
	}
	switch {
	case err == nil:
		return o, nil
	case errors.Is(err, acquirer.ErrBadAnswer):
		return o, failure.Malformed("The authentication response is not valid.").WithCause(err)
	default:
		return o, failure.Upstream(err)
	}
}
