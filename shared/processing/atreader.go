package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// resolveAtReader finds out what happened to a payment at a reader. What the terminal says only
// saves time: only the acquirer knows whether the card was charged, or the Pix code paid. A charge that
// has not begun by the deadline, or whose code is not paid by then, is cancelled there, and the acquirer
// refuses it afterwards. So it does not matter at which message the line to the terminal dropped.
func (p *Processor) resolveAtReader(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	a, reason := *c.Attempt, ""
	progress, err := p.Terminal(t).Outcome(ctx, c.ID)
	if err != nil {
		p.Log.WarnContext(ctx, "terminal did not answer", "checkout", c.ID, "error", err)
	}
	o, err := p.acquirer(t).LookUp(ctx, a.ID)
	if err == nil && progress.Progress == terminal.Stopped { // it has cancelled the charge itself
		o.Reason = progress.Reason
	}
	if errors.Is(err, acquirer.ErrUnknownCharge) || err == nil && o.Decision == payments.Voucher {
		switch {
		case progress.Progress == terminal.Stopped:
			reason = progress.Reason
		case !p.Store.Now().Before(a.Deadline):
			reason = payments.ReasonTimedOut
		default:
			return p.waitAtReader(ctx, t, c)
		}
		o, err = p.cancelAtReader(ctx, t, c, reason)
	}
	return p.settleAtReader(ctx, t, c, o, err)
}

// cancelAtReader cancels the attempt at the acquirer, which then refuses a charge by the terminal, and the payment of a
// code that it has shown. If the payer was faster, it returns that outcome. The terminal is also told to stop; that
// message may be lost.
func (p *Processor) cancelAtReader(ctx context.Context, t identity.Tenant, c payments.Checkout,
	reason string) (payments.Outcome, error) {
	o, err := p.acquirer(t).Cancel(ctx, c.Attempt.ID)
	o.Reason = reason
	if err == nil && o.Decision == payments.Cancelled {
		if stopErr := p.Terminal(t).Terminate(ctx, c.ID); stopErr != nil {
			p.Log.WarnContext(ctx, "terminal was not stopped", "checkout", c.ID, "error", stopErr)
		}
	}
	return o, err
}

// settleAtReader records what the acquirer has answered; after an error it will be asked again.
// Nothing is recorded then, or the next poll would take a cardholder who still waits for a charge.
func (p *Processor) settleAtReader(ctx context.Context, t identity.Tenant, c payments.Checkout, o payments.Outcome,
	err error) (payments.Checkout, error) {
	if err != nil {
		p.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", c.Attempt.ID,
			"error", err)
		return p.waitAtReader(ctx, t, c)
	}
	return p.settle(ctx, t, c, c.Attempt.ID, o)
}

// waitAtReader sets the next poll. Before it is due that is set already: reading the checkout then
// writes nothing.
func (p *Processor) waitAtReader(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	if p.Store.Now().Before(c.Attempt.NextPoll) {
		return c, nil
	}
	return p.settle(ctx, t, c, c.Attempt.ID, payments.Outcome{Decision: payments.Challenge})
}

// ResolveAtReader is Resolve for a checkout at a reader that was read. While the cardholder may still
// pay, it writes nothing before the next poll is due.
func (p *Processor) ResolveAtReader(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	if !c.AttemptOpen() {
		return c, nil
	}
	return p.resolveAttempt(ctx, t, c)
}

// TerminateAtReader stops a payment at a reader that waits for the cardholder. Others it leaves as
// they are: the terminal has charged the card, or everything is over.
func (p *Processor) TerminateAtReader(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	c, err := p.ResolveAtReader(ctx, t, c)
	if err != nil || !c.WaitsAtReader() {
		return c, err
	}
	o, err := p.cancelAtReader(ctx, t, c, payments.ReasonTerminated)
	return p.settleAtReader(ctx, t, c, o, err)
}

// OfferAtReader gives the stored checkout to the reader's terminal, again if it may have got it. If
// the terminal has not, nothing comes of the checkout, and the error is the port's. After any other
// error the terminal may ask the cardholder all the same.
func (p *Processor) OfferAtReader(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	if !c.WaitsAtReader() {
		return c, nil
	}
	err := p.offer(ctx, t, c)
	switch {
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrBusy), errors.Is(err, terminal.ErrUnpaired):
		return p.takeBack(ctx, t, c, err)
	case err != nil:
		p.Log.WarnContext(ctx, "terminal did not answer to a checkout", "checkout", c.ID, "error", err)
	}
	return c, nil
}

func (p *Processor) offer(ctx context.Context, t identity.Tenant, c payments.Checkout) error {
	sale, a := c.Reader, c.Attempt
	return p.Terminal(t).Offer(ctx, terminal.Checkout{ID: c.ID, Pairing: sale.ReaderID, Charge: a.ID, Method: a.Method,
		Tenant: t.String(), Amount: c.Amount, Description: c.Description, Merchant: c.Payee.Name, TipRates: sale.TipRates,
		TipTimeout: sale.TipTimeout, CardType: sale.CardType, Installments: a.Installments, AADE: sale.AADE,
		Until: a.Deadline})
}

// takeBack closes a checkout that the terminal has refused to take. An earlier message, whose reply was lost,
// may have reached the terminal: so it is closed only after the acquirer has cancelled the charge, and
// otherwise what the acquirer says counts. The error is the refusal if it was closed.
func (p *Processor) takeBack(ctx context.Context, t identity.Tenant, c payments.Checkout,
	refusal error) (payments.Checkout, error) {
	ctx = context.WithoutCancel(ctx)
	o, err := p.acquirer(t).Cancel(ctx, c.Attempt.ID)
	if err != nil || o.Decision != payments.Cancelled {
		return p.settleAtReader(ctx, t, c, o, err)
	}
	attempt := c.Attempt.ID
	c, err = p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		change, ok := c.CloseNotTaken(attempt)
		return change, ok, nil
	})
	return c, errors.Join(refusal, err)
}
