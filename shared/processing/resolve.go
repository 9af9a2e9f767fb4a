package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Resolve asks the acquirer where a checkout's open attempt stands and
// records it, and records expiry. It begins nothing and may be repeated at
// will, as when an acquirer gives notice. Failure: NotFound.
func (p *Processor) Resolve(ctx context.Context, t identity.Tenant, checkoutID string) (payments.Checkout, error) {
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil {
		return c, err
	}
	return p.resolve(ctx, t, c)
}

// ResolveDue is Resolve for callers on a schedule, of which there may be several:
// before the next poll is due it does nothing.
// Failure: NotFound.
func (p *Processor) ResolveDue(ctx context.Context, t identity.Tenant, checkoutID string) error {
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil || c.AttemptOpen() && p.Store.Now().Before(c.Attempt.NextLook) {
		return err
	}
	_, err = p.resolve(ctx, t, c)
	return err
}

func (p *Processor) resolve(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	if c.AttemptOpen() {
		var err error
		if c, err = p.resolveAttempt(ctx, t, c); err != nil {
			return c, err
		}
	}
	return p.change(ctx, t, c, func(c payments.Checkout) (payments.Change, bool, error) {
		change, ok := c.Expire(messageID(), p.Store.Now())
		return change, ok, nil
	})
}

func (p *Processor) resolveAttempt(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	a := *c.Attempt
	o, err := p.acquirer(t).LookUp(ctx, a.ID)
	now := p.Store.Now()
	switch {
	case errors.Is(err, acquirer.ErrUnknownCharge):
		// Whoever began the attempt may still be on the way to the acquirer.
		if now.Before(a.NextLook) {
			return c, nil
		}
		o, err = p.acquirer(t).Cancel(ctx, a.ID)
	case err == nil && a.OutOfTime(o, now):
		o, err = p.acquirer(t).Cancel(ctx, a.ID)
	}
	if err != nil {
		p.Log.WarnContext(ctx, "acquirer did not say where a charge stands", "checkout", c.ID, "attempt", a.ID, "error", err)
		o = payments.Outcome{Decision: payments.Undecided}
	}
	return p.settle(ctx, t, c, a.ID, o)
}

// Complete takes the payer's answer to a 3DS challenge to the acquirer
// (contract §4.4). Repeating it, or coming late, changes nothing. Failures:
// NotFound for an unknown session, Malformed for an answer that is not the
// issuer's, Upstream when the acquirer does not take it now.
func (p *Processor) Complete(ctx context.Context, checkoutID, md, answer string) (payments.Checkout, error) {
	t, session, err := p.Store.Session(ctx, identity.Hash(md))
	if err == nil && session.CheckoutID != checkoutID {
		err = failure.Absent("checkout-not-found", "Resource not found")
	}
	if err != nil {
		return payments.Checkout{}, err
	}
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil || c.Attempt == nil || c.Attempt.ID != session.AttemptID || c.Attempt.State == payments.Closed {
		return c, err
	}
	o, err := p.answer(ctx, t, session.AttemptID, answer)
	if err != nil {
		return c, err
	}
	return p.settle(ctx, t, c, session.AttemptID, o)
}

// answer brings the payer's answer to the acquirer, a second time when the
// first reply is lost. Nobody but the payer's browser has the answer, so if
// that fails too it is told to come again: the answer stays good.
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
		return o, failure.BadRequest("the authentication answer is not valid").With(err)
	default:
		return o, failure.UpstreamFailed(err)
	}
}

// Voucher is a payment code with what it pays, and whose it is.
type Voucher struct {
	identity.Tenant
	payments.Checkout
	Code payments.PaymentCode
}

// Code finds the payment code (boleto, Pix) that a payer's link names.
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
		return Voucher{}, failure.Absent("", "Resource not found")
	}
	return Voucher{t, c, *c.Attempt.Code}, nil
}

// Deactivate expires a checkout by the merchant's wish, once no open attempt
// of it can be charged any more (contract §4.5). Failures: NotFound,
// Conflict, Upstream.
func (p *Processor) Deactivate(ctx context.Context, t identity.Tenant, checkoutID string) (payments.Checkout, error) {
	c, err := p.Store.Checkout(ctx, t, checkoutID)
	if err != nil {
		return c, err
	}
	return p.change(ctx, t, c, func(c payments.Checkout) (payments.Change, bool, error) {
		if err := c.CheckDeactivatable(p.Store.Now()); err != nil {
			return payments.Change{}, false, err
		}
		// Cancelling one attempt may bring up another that was begun meanwhile.
		for c.PayersTurn() {
			if c, err = p.cancel(ctx, t, c); errors.Is(err, errUndecided) {
				err = payments.ErrDeciding
			}
			if err != nil {
				return payments.Change{}, false, err
			}
		}
		change, err := c.Deactivate(messageID(), p.Store.Now())
		return change, err == nil, err
	})
}
