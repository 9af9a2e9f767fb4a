package run

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// ResolveCheckout reads a checkout at the reader, and resolves its attempt. Failure: NotFound, also if not visible.
func (d *Driver) ResolveCheckout(ctx context.Context, caller identity.Principal, readerID,
	id string) (payments.Checkout, error) {
	c, err := d.Store.AnyCheckout(ctx, caller.Tenant, id)
	switch {
	case err != nil:
		return c, err
	case c.Reader == nil, c.NeverOffered(), c.Reader.ReaderID != readerID, !caller.Sees(c.Creator.ID):
		return c, store.ErrNoCheckout
	default:
		return d.Payments.ResolveAttempt(ctx, caller.Tenant, c)
	}
}

// ResolveWaiting asks for the outcome of a payment that waits at a reader, and records it. The terminal's answer only
// saves time: only the acquirer knows whether the card was charged, or the Pix code paid. A charge that has not begun
// when the terminal has stopped, or by the deadline, is cancelled there, as is one whose code is not paid by then. The
// acquirer refuses it afterwards. So it does not matter at which message the line to the terminal dropped. While the
// payer may still pay, ResolveWaiting writes nothing before the next poll is due.
func (d *Driver) ResolveWaiting(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	progress, err := d.terminals(t).Outcome(ctx, c.ID)
	if err != nil {
		d.Log.WarnContext(ctx, "terminal did not answer", "checkout", c.ID, "error", err)
	}
	o, err := d.Acquirer(t).LookUp(ctx, c.Attempt.ID)
	if err == nil && progress.Progress == terminal.Stopped { // it has cancelled the charge itself
		o.Reason = progress.Reason
	}
	if errors.Is(err, acquirer.ErrUnknownCharge) || err == nil && o.Decision == payments.Voucher {
		switch {
		case progress.Progress == terminal.Stopped:
			o, err = d.cancel(ctx, t, c, progress.Reason)
		case !d.Store.Now().Before(c.Attempt.Deadline):
			o, err = d.cancel(ctx, t, c, payments.ReasonTimedOut)
		default:
			return d.wait(ctx, t, c)
		}
	}
	return d.settle(ctx, t, c, o, err)
}

// Terminate cancels the reader's checkout while it waits for the cardholder, if any; the callback tells the outcome.
// Failures: NotFound, also for another member's checkout that the caller may not see; READER_OFFLINE.
func (d *Driver) Terminate(ctx context.Context, caller identity.Principal, id string) error {
	r, err := d.readAndReach(ctx, caller.Tenant, id)
	if err == nil {
		_, err = d.cancelLatest(ctx, caller, r)
	}
	return err
}

// TerminateWaiting stops a payment that waits at a reader. Others stay: they are charged, or everything is over.
func (d *Driver) TerminateWaiting(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	c, err := d.Payments.ResolveAttempt(ctx, t, c)
	if err != nil || !c.WaitsAtReader() {
		return c, err
	}
	o, err := d.cancel(ctx, t, c, payments.ReasonTerminated)
	return d.settle(ctx, t, c, o, err)
}

// cancel cancels the attempt at the acquirer, which then refuses a charge by the terminal, and the payment of a shown
// code. If the payer was faster, it returns that outcome. It also tells the terminal to stop; that message may be lost.
func (d *Driver) cancel(ctx context.Context, t identity.Tenant, c payments.Checkout, reason string) (payments.Outcome,
	error) {
	o, err := d.Acquirer(t).Cancel(ctx, c.Attempt.ID)
	o.Reason = reason
	if err == nil && o.Decision == payments.Cancelled {
		if stopErr := d.terminals(t).Terminate(ctx, c.ID); stopErr != nil {
			d.Log.WarnContext(ctx, "terminal was not stopped", "checkout", c.ID, "error", stopErr)
		}
	}
	return o, err
}

// settle records the acquirer's answer. After an error it records nothing: the acquirer will be asked again, and a
// recorded outcome would be taken for a charge, though the cardholder still waits.
func (d *Driver) settle(ctx context.Context, t identity.Tenant, c payments.Checkout, o payments.Outcome,
	err error) (payments.Checkout, error) {
	if err != nil {
		d.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", c.Attempt.ID,
			"error", err)
		return d.wait(ctx, t, c)
	}
	return d.Payments.Settle(ctx, t, c, o)
}

// wait schedules the next poll. While one is scheduled it writes nothing, so that reading a checkout stays cheap.
func (d *Driver) wait(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	if d.Store.Now().Before(c.Attempt.NextPoll) {
		return c, nil
	}
	return d.Payments.PollLater(ctx, t, c)
}
