package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Deactivate expires a checkout at the merchant's request, after cancelling its open attempt (contract §4.5). Failures:
// NotFound, Conflict, Upstream.
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
		// Another attempt may begin while this one is cancelled.
		for c.RequiresAction() {
			if c, err = p.cancelAttempt(ctx, t, c); errors.Is(err, errAttemptPending) {
				err = payments.ErrAttemptPending
			}
			if err != nil {
				return payments.CheckoutChange{}, false, err
			}
		}
		change, err := c.Deactivate(newMessageID(), p.Store.Now())
		return change, err == nil, err
	})
}

// ResolveDue asks the acquirer for the outcome of a checkout's open attempt if the next poll is due, and records the
// outcome or an expiry. It begins no attempt. It serves callers that run on a schedule. If the acquirer does not
// answer, that is no error. Failure: NotFound.
func (p *Processor) ResolveDue(ctx context.Context, t identity.Tenant, checkoutID string) error {
	c, err := p.Store.AnyCheckout(ctx, t, checkoutID)
	if err != nil || c.AttemptOpen() && p.Store.Now().Before(c.Attempt.NextPoll) {
		return err
	}
	_, err = p.resolve(ctx, t, c)
	return unlessNoAnswer(err)
}

// errNoAnswer reports that the acquirer did not answer for a charge or refund, which is still open. The next poll is
// scheduled.
var errNoAnswer = errors.New("processing: the acquirer did not answer")

// unlessNoAnswer returns nil for errNoAnswer, and else err. It serves callers that leave the outcome to polls.
func unlessNoAnswer(err error) error {
	if errors.Is(err, errNoAnswer) {
		return nil
	}
	return err
}

// resolve resolves the open attempt of a checkout, and records an expiry. It may be called at any time. With
// errNoAnswer it also returns the checkout.
func (p *Processor) resolve(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	c, askErr := p.askAndSettle(ctx, t, c)
	if unlessNoAnswer(askErr) != nil {
		return c, askErr
	}
	c, err := p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		change, ok := c.Expire(newMessageID(), p.Store.Now())
		return change, ok, nil
	})
	if err == nil && c.AttemptOpen() {
		err = askErr
	}
	return c, err
}

// ResolveAttempt asks for the outcome of the open attempt, if there is one, and records the outcome. c is the checkout
// as the caller read it. If the acquirer does not answer, that is no error.
func (p *Processor) ResolveAttempt(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	c, err := p.askAndSettle(ctx, t, c)
	return c, unlessNoAnswer(err)
}

// askAndSettle does what ResolveAttempt does, but returns errNoAnswer, with the checkout, if the acquirer does not
// answer.
func (p *Processor) askAndSettle(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	switch {
	case !c.AttemptOpen():
		return c, nil
	case c.WaitsAtReader():
		return p.Readers.ResolveWaiting(ctx, t, c)
	}
	a := *c.Attempt
	o, err := p.acquirer(t.Mode).LookUp(ctx, a.ID)
	now := p.Store.Now()
	switch {
	case errors.Is(err, acquirer.ErrUnknownCharge):
		// The request that began the attempt may not have reached the acquirer yet.
		if now.Before(a.NextPoll) {
			return c, nil
		}
		o, err = p.acquirer(t.Mode).Cancel(ctx, a.ID)
	case err == nil && a.DeadlinePassed(o, now):
		o, err = p.acquirer(t.Mode).Cancel(ctx, a.ID)
	}
	if err == nil {
		return p.Settle(ctx, t, c, o)
	}
	p.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", a.ID, "error", err)
	c, err = p.Settle(ctx, t, c, payments.Outcome{Decision: payments.OutcomeUnknown})
	if err == nil {
		err = errNoAnswer
	}
	return c, err
}
