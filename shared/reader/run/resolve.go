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

// ResolveCheckout reads a checkout at the reader and resolves its attempt. Failure: NotFound, also for a checkout that
// the caller may not see.
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

// ResolveWaiting asks for the outcome of a payment that waits at a reader, and records the outcome. Only the acquirer
// knows if the card was charged or the Pix code was paid; the terminal's answer only saves time.
//
// As long as the acquirer knows no charge, or only an unpaid code, the payer may still pay. Then ResolveWaiting cancels
// the attempt if the terminal has stopped or the deadline has passed. The acquirer refuses a charge after that, so it
// does not matter when the line to the terminal dropped. If there is no reason to cancel, ResolveWaiting schedules the
// next poll, and writes nothing while a poll is already scheduled.
//
// If the line drops, the outcome is:
//
//	before Offer arrives            cancelled at the deadline, "timed out"
//	after Offer, before the charge  the charge's, if it comes before the deadline;
//	                                else "timed out"
//	after the charge                the charge's, at the next poll
//	before Terminate arrives        cancelled, "terminated"; the acquirer refuses
//	                                the terminal's later charge
func (d *Driver) ResolveWaiting(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	progress, err := d.terminals(t).Outcome(ctx, c.ID)
	if err != nil {
		d.Log.WarnContext(ctx, "terminal did not answer", "checkout", c.ID, "error", err)
	}
	o, err := d.Acquirer(t).LookUp(ctx, c.Attempt.ID)
	if err == nil && progress.Progress == terminal.Stopped { // the terminal has cancelled the charge
		o.Reason = progress.Reason
	}
	if errors.Is(err, acquirer.ErrUnknownCharge) || err == nil && o.Decision == payments.Voucher {
		switch {
		case progress.Progress == terminal.Stopped:
			o, err = d.cancelAttempt(ctx, t, c, progress.Reason)
		case !d.Store.Now().Before(c.Attempt.Deadline):
			o, err = d.cancelAttempt(ctx, t, c, payments.ReasonTimedOut)
		default:
			return d.scheduleNextPoll(ctx, t, c)
		}
	}
	return d.recordAnswer(ctx, t, c, o, err)
}

// Terminate cancels the reader's checkout if one waits for the cardholder. The callback tells the outcome. Unlike
// Delete, Terminate first asks for the terminal's heartbeat. Failures: NotFound, also for another member's checkout
// that the caller may not see; READER_OFFLINE.
func (d *Driver) Terminate(ctx context.Context, caller identity.Principal, id string) error {
	r, err := d.readAndReach(ctx, caller.Tenant, id)
	if err == nil {
		_, err = d.cancelLatest(ctx, caller, r)
	}
	return err
}

// TerminateWaiting stops a payment that waits at a reader. It does not stop any other payment, because such a payment
// is being charged, or is over.
func (d *Driver) TerminateWaiting(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	c, err := d.Payments.ResolveAttempt(ctx, t, c)
	if err != nil || !c.WaitsAtReader() {
		return c, err
	}
	o, err := d.cancelAttempt(ctx, t, c, payments.ReasonTerminated)
	return d.recordAnswer(ctx, t, c, o, err)
}

// cancelAttempt cancels the attempt at the acquirer, which then refuses the terminal's charge or the payment of its
// code. If the payer was faster, cancelAttempt returns the outcome of the payment. The terminal is also told to stop;
// that message may be lost.
func (d *Driver) cancelAttempt(ctx context.Context, t identity.Tenant, c payments.Checkout,
	reason string) (payments.Outcome, error) {
	o, err := d.Acquirer(t).Cancel(ctx, c.Attempt.ID)
	o.Reason = reason
	if err == nil && o.Decision == payments.Cancelled {
		if stopErr := d.terminals(t).Terminate(ctx, c.ID); stopErr != nil {
			d.Log.WarnContext(ctx, "terminal was not stopped", "checkout", c.ID, "error", stopErr)
		}
	}
	return o, err
}

// recordAnswer records the acquirer's answer. After an error it records nothing, and a later poll asks the acquirer
// again. If it recorded an unknown outcome, the card would count as being charged, though the cardholder may not have
// paid yet.
func (d *Driver) recordAnswer(ctx context.Context, t identity.Tenant, c payments.Checkout, o payments.Outcome,
	err error) (payments.Checkout, error) {
	if err != nil {
		d.Log.WarnContext(ctx, "acquirer did not answer for a charge", "checkout", c.ID, "attempt", c.Attempt.ID,
			"error", err)
		return d.scheduleNextPoll(ctx, t, c)
	}
	return d.Payments.Settle(ctx, t, c, o)
}

// scheduleNextPoll schedules the next poll. While one is scheduled it writes nothing, so reading a checkout stays
// cheap.
func (d *Driver) scheduleNextPoll(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	if d.Store.Now().Before(c.Attempt.NextPoll) {
		return c, nil
	}
	return d.Payments.PollLater(ctx, t, c)
}
