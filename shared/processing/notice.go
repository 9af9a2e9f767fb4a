package processing

import (
	"context"
	"errors"
	"iter"
	"net/textproto"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// HandleNotice resolves the hints of a notice from the mode's acquirer. It may be repeated. It tries every hint, even
// if one fails. Failures: Malformed, before any hint was tried; Upstream if the acquirer does not answer, which is no
// failure of the platform. After any error but Malformed the acquirer should send the notice again.
func (p *Processor) HandleNotice(ctx context.Context, mode identity.Mode, header textproto.MIMEHeader,
	body []byte) error {
	hints, err := p.acquirer(mode).Notice(header, body)
	if errors.Is(err, acquirer.ErrBadNotice) {
		return failure.Malformed("The notice is not signed by this mode's acquirer, is too old, or cannot be read.").
			WithCause(err)
	}
	if err != nil {
		return err
	}
	var failures []error
	answered := true
	for _, h := range hints {
		err := p.resolveInTime(ctx, mode, h)
		answered = answered && !errors.Is(err, errNoAnswer)
		failures = append(failures, unlessNoAnswer(err))
	}
	if err := errors.Join(failures...); err != nil || answered {
		return err
	}
	return failure.Upstream(errNoAnswer)
}

// hintTime bounds the time for one hint of a notice, so that an acquirer that does not answer for one charge does not
// hold up the other hints.
const hintTime = 5 * time.Second

func (p *Processor) resolveInTime(ctx context.Context, mode identity.Mode, h acquirer.Hint) error {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	return p.resolveHint(ctx, mode, h)
}

// Hints walks the hints of the mode's acquirer since the time (acquirer.Acquirer).
func (p *Processor) Hints(ctx context.Context, mode identity.Mode, since time.Time) iter.Seq2[acquirer.Hint, error] {
	return p.acquirer(mode).Hints(ctx, since)
}

// ResolveHint asks the acquirer for the outcome of the charge or refund that a hint names, and records the outcome. It
// ignores a hint about another mode, an unknown payment, or an attempt or refund that is not open. If nothing has
// changed, it writes nothing. It may be called at any time. If the acquirer does not answer, that is no error: polls
// ask again.
func (p *Processor) ResolveHint(ctx context.Context, mode identity.Mode, h acquirer.Hint) error {
	return unlessNoAnswer(p.resolveHint(ctx, mode, h))
}

// resolveHint does what ResolveHint does, but returns errNoAnswer if the acquirer does not answer.
func (p *Processor) resolveHint(ctx context.Context, mode identity.Mode, h acquirer.Hint) error {
	t, ok := identity.ParseTenant(h.Tenant)
	if !ok || t.Mode != mode {
		p.Log.WarnContext(ctx, "hint of another mode ignored", "mode", mode.Name(), "tenant", h.Tenant, "id", h.ID)
		return nil
	}
	resolve := p.resolveCharge
	if h.IsRefund {
		resolve = p.resolveRefund
	}
	err := resolve(ctx, t, h)
	if failure.Is(err, failure.KindNotFound) {
		p.Log.WarnContext(ctx, "hint about an unknown payment ignored", "tenant", h.Tenant, "checkout", h.CheckoutID,
			"id", h.ID)
		return nil
	}
	return err
}

// resolveCharge resolves the checkout's open attempt if the hint names that attempt. Failure: NotFound.
func (p *Processor) resolveCharge(ctx context.Context, t identity.Tenant, h acquirer.Hint) error {
	c, err := p.Store.AnyCheckout(ctx, t, h.CheckoutID)
	if err != nil || !c.AttemptOpen() || c.Attempt.ID != h.ID {
		return err
	}
	_, err = p.resolve(ctx, t, c)
	return err
}

// resolveRefund polls the refund that the hint names. It leaves a refund whose own request may still run, because that
// request may withdraw the refund. Failure: NotFound.
func (p *Processor) resolveRefund(ctx context.Context, t identity.Tenant, h acquirer.Hint) error {
	e, err := p.findRefund(ctx, t, h.ID)
	if err != nil || e.MayStillRun(p.Store.Now()) {
		return err
	}
	_, err = p.pollRefund(ctx, t, e)
	return err
}
