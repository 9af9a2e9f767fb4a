package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Complete sends the payer's answer to a 3DS challenge to the acquirer (contract §4.4). A repeated or late call changes
// nothing. Failures: NotFound for an unknown session, Malformed for an answer that is not the issuer's, Upstream if the
// acquirer does not answer.
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
	o, err := p.sendAnswer(ctx, t, session.AttemptID, answer)
	if err != nil {
		return c, err
	}
	return p.settle(ctx, t, c, session.AttemptID, o)
}

// sendAnswer sends the payer's answer to the acquirer, and sends it again if the first reply is lost. After that, only
// the payer's browser can repeat the request, because only the browser has the answer. The answer stays valid.
func (p *Processor) sendAnswer(ctx context.Context, t identity.Tenant, attemptID,
	answer string) (payments.Outcome, error) {
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

// Resume asks the acquirer for the next step of a payer who has begun a challenge or visited a method's page. The payer
// may have come back from there. If the acquirer now knows an outcome, Resume records the outcome, so that the payer
// need not wait for the next poll.
//
// Resume returns no step and records nothing if the acquirer does not answer, or if the payer has begun neither a
// challenge nor a redirect. Browsers may ask every few seconds, and must not cause a write each time.
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
		return c, p.nextStep(c, attempt.ID, o), nil
	}
	c, err = p.settle(ctx, t, c, attempt.ID, o)
	return c, nil, err
}
