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
//
// The answer "" says that the payer has come back by a link, which proves nothing. Complete then asks the acquirer. It
// writes only what the checkout does not show yet, because the link can be opened often. If the acquirer does not
// answer, Complete returns the checkout as it is, and a poll asks again.
func (p *Processor) Complete(ctx context.Context, checkoutID, md, answer string) (payments.Checkout, error) {
	t, c, open, err := p.readSession(ctx, md)
	if err == nil && c.ID != checkoutID {
		err = failure.NotFound("There is no such checkout.").WithSlug("checkout-not-found")
	}
	if err != nil {
		return payments.Checkout{}, err
	}
	if !open {
		return c, nil
	}
	attempt := *c.Attempt
	o, err := p.sendAnswer(ctx, t, attempt.ID, answer)
	switch byLink := answer == ""; {
	case err != nil && byLink:
		p.logSilence(ctx, c, err)
		return c, nil
	case err != nil:
		return c, err
	case byLink && !c.Changes(o, p.Store.Now()):
		return c, nil
	default:
		return p.record(ctx, t, c, attempt.ID, o)
	}
}

// readSession reads the checkout of a payer's session. open is true if the session's attempt is open. Failure:
// NotFound.
func (p *Processor) readSession(ctx context.Context, token string) (t identity.Tenant, c payments.Checkout, open bool,
	err error) {
	t, session, err := p.Store.Session(ctx, identity.Hash(token))
	if err != nil {
		return t, c, false, err
	}
	c, err = p.Store.Checkout(ctx, t, session.CheckoutID)
	return t, c, err == nil && c.AttemptOpen() && c.Attempt.ID == session.AttemptID, err
}

func (p *Processor) logSilence(ctx context.Context, c payments.Checkout, err error) {
	p.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", c.Attempt.ID, "error", err)
}

// sendAnswer sends the payer's answer to the acquirer, and sends it again if the first reply is lost. After that, only
// the payer's browser can repeat the request, because only the browser has the answer. The answer stays valid.
func (p *Processor) sendAnswer(ctx context.Context, t identity.Tenant, attemptID,
	answer string) (payments.Outcome, error) {
	a := p.acquirer(t.Mode)
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
	attemptID := c.Attempt.ID
	c, o, err := p.lookUpAction(ctx, t, c)
	switch {
	case errors.Is(err, errNoOutcome):
		return c, nil, nil
	case err != nil:
		return c, nil, err
	default:
		return c, p.nextStep(c, attemptID, o), nil
	}
}

// errNoOutcome reports that the acquirer has not said what became of a charge. The charge may still succeed.
var errNoOutcome = errors.New("processing: the acquirer does not know the outcome")

// lookUpAction asks the acquirer about an attempt that waits for the payer. It records an outcome, and cancels the
// attempt after the payer's deadline. For an attempt that still waits, it writes nothing. Error: errNoOutcome.
func (p *Processor) lookUpAction(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	payments.Outcome, error) {
	attempt := *c.Attempt
	o, err := askOnce(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t.Mode).LookUp(ctx, attempt.ID)
	})
	switch {
	case err != nil && !errors.Is(err, acquirer.ErrUnknownCharge):
		p.logSilence(ctx, c, err)
		return c, o, errNoOutcome
	case err != nil || o.Decision == payments.OutcomeUnknown:
		return c, o, errNoOutcome
	case attempt.DeadlinePassed(o, p.Store.Now()):
		c, err = p.resolve(ctx, t, c)
		// The acquirer may not have confirmed a cancellation.
		if err = unlessNoAnswer(err); err == nil && c.RequiresAction() && c.Attempt.ID == attempt.ID {
			err = errNoOutcome
		}
	case o.Decision != payments.Challenge:
		c, err = p.record(ctx, t, c, attempt.ID, o)
	}
	return c, o, err
}

// OpenChallenge returns the page of the open challenge that an MD belongs to, as the acquirer names it now (contract
// §4.4). The page is our own or at one of the AcquirerHosts. The step is nil if the challenge is over; the checkout
// then shows the outcome. Failures: NotFound for an unknown session; Upstream if the acquirer does not know the
// outcome, or names no page that the payer may go to.
func (p *Processor) OpenChallenge(ctx context.Context, md string) (payments.Checkout, *payments.Step, error) {
	t, c, open, err := p.readSession(ctx, md)
	if err != nil || !open || c.Attempt.Method.Flow() != payments.CardFlow {
		return c, nil, err
	}
	attemptID := c.Attempt.ID
	c, o, err := p.lookUpAction(ctx, t, c)
	switch {
	case errors.Is(err, errNoOutcome):
		return c, nil, failure.Upstream(err)
	case err != nil || !c.RequiresAction() || c.Attempt.ID != attemptID || o.Decision != payments.Challenge:
		return c, nil, err
	case o.Step == nil:
		return c, nil, failure.Upstream(errors.New("processing: the challenge has no step"))
	case p.isOwnPage(*o.Step):
		own := p.challengeForm(c, o.Step.URL, o.Step.Payload["PaReq"])
		return c, &own, nil
	}
	step, err := p.AcquirerHosts.Check(*o.Step)
	if err != nil {
		p.Log.ErrorContext(ctx, "the acquirer sends a payer to a host that is not allowed", "checkout", c.ID, "attempt",
			attemptID, "error", err)
		return c, nil, failure.Upstream(err)
	}
	return c, &step, nil
}
