package run

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Begin stores a new checkout as the reader's latest, and gives it to the terminal. Repeated with the same checkout id,
// Begin returns the stored checkout, and gives it to the terminal again. fits refuses a reader that cannot take the
// checkout. Failures: NotFound, READER_OFFLINE, READER_BUSY, ErrContended; those of fits.
func (d *Driver) Begin(ctx context.Context, t identity.Tenant, readerID string, c payments.Checkout,
	fits func(reader.Reader) error) (payments.Checkout, error) {
	c, err := store.Retry(func(bool) (payments.Checkout, error) {
		return d.storeAtReader(ctx, t, readerID, c, fits)
	})
	if err != nil {
		return c, err
	}
	c, err = d.Offer(ctx, t, c)
	switch {
	case errors.Is(err, terminal.ErrBusy):
		return c, errBusy
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired), err == nil && c.NeverOffered():
		return c, unreachable("The reader does not take the checkout.")
	default:
		return c, err
	}
}

// storeAtReader stores the new checkout as the reader's latest, if the reader can take it. It returns a checkout that
// an earlier try of the operation stored, even if the reader could not take it now. Failures: NotFound, READER_OFFLINE,
// READER_BUSY; ErrStale when the reader changed meanwhile.
func (d *Driver) storeAtReader(ctx context.Context, t identity.Tenant, readerID string, c payments.Checkout,
	fits func(reader.Reader) error) (payments.Checkout, error) {
	r, err := d.Store.CardReader(ctx, t, readerID)
	if err == nil {
		err = fits(r)
	}
	if err != nil {
		return c, err
	}
	r, h, err := d.checkIdle(ctx, t, r)
	if err != nil {
		if !failure.Is(err, failure.KindUnprocessable) {
			return c, err
		}
		stored, readErr := d.Store.AnyCheckout(ctx, t, c.ID)
		if failure.Is(readErr, failure.KindNotFound) {
			return c, err
		}
		return stored, readErr // an earlier try has stored it, and the terminal may have it
	}
	sale := *c.Reader
	sale.ReaderID, sale.Serial, sale.Model, sale.Firmware = r.ID, r.Serial, r.Model, h.Firmware
	c.Reader = &sale
	attempt := payments.Attempt{ID: uuid.NewString(), Operation: c.ID, Installments: sale.Installments}
	return d.Store.CreateReaderCheckout(ctx, t, r, c.BeginAtReader(attempt, c.CreatedAt))
}

// checkIdle reaches the reader and resolves its latest checkout. Failures: READER_OFFLINE; READER_BUSY while that
// checkout is open.
func (d *Driver) checkIdle(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader,
	terminal.Heartbeat, error) {
	r, h, err := d.reach(ctx, t, r)
	if err != nil || r.Checkout == "" {
		return r, h, err
	}
	latest, err := d.Store.AnyCheckout(ctx, t, r.Checkout)
	if err == nil {
		latest, err = d.Payments.ResolveAttempt(ctx, t, latest)
	}
	switch {
	case err == nil && latest.AttemptOpen():
		err = errBusy
	case err == nil && h.State != terminal.Idle: // the terminal got the checkout after the termination
		if stopErr := d.terminals(t).Terminate(ctx, latest.ID); stopErr != nil {
			d.logSilence(ctx, r, stopErr)
		}
	}
	return r, h, err
}

// Offer sends the stored checkout to the reader's terminal; a repetition is harmless. If the terminal refuses the
// checkout, Offer closes it and returns the port's error. After any other error of the port, such as a lost reply, the
// cardholder may be paying. Offer then returns no error, and polls resolve the checkout.
func (d *Driver) Offer(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	if !c.WaitsAtReader() {
		return c, nil
	}
	sale, a := c.Reader, c.Attempt
	err := d.terminals(t).Offer(ctx, terminal.Checkout{ID: c.ID, Pairing: sale.ReaderID, Charge: a.ID, Method: a.Method,
		Tenant: t.String(), Amount: c.Amount, Description: c.Description, Merchant: c.Payee.Name, TipRates: sale.TipRates,
		TipTimeout: sale.TipTimeout, CardType: sale.CardType, Installments: a.Installments, AADE: sale.AADE,
		Until: a.Deadline})
	switch {
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrBusy), errors.Is(err, terminal.ErrUnpaired):
		return d.closeRefused(ctx, t, c, err)
	case err != nil:
		d.Log.WarnContext(ctx, "terminal did not answer to a checkout", "checkout", c.ID, "error", err)
	}
	return c, nil
}

// closeRefused closes a checkout that the terminal refused. An earlier message may have reached the terminal, so
// closeRefused first cancels the charge at the acquirer. If the acquirer returns another outcome, closeRefused records
// that outcome and does not close the checkout. It returns the refusal if the checkout was closed.
func (d *Driver) closeRefused(ctx context.Context, t identity.Tenant, c payments.Checkout,
	refusal error) (payments.Checkout, error) {
	ctx = context.WithoutCancel(ctx)
	o, err := d.Acquirer(t).Cancel(ctx, c.Attempt.ID)
	if err != nil || o.Decision != payments.Cancelled {
		return d.recordAnswer(ctx, t, c, o, err)
	}
	c, err = d.Payments.CloseNotTaken(ctx, t, c)
	return c, errors.Join(refusal, err)
}
