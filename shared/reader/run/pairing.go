package run

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Pair asks the terminal that shows the code to confirm a pairing, and stores the reader. A repeated operation returns
// the stored reader. If an earlier try asked the terminal but stored no reader, the repeated operation stores the
// reader of that pairing. Failures: NotFound, Conflict; Timeout if the terminal may have been asked.
func (d *Driver) Pair(ctx context.Context, by audit.By, t identity.Tenant, operation, code string,
	given reader.Given) (reader.Reader, error) {
	r, asked := reader.Reader{ID: reader.ID(operation), CreatedAt: d.Store.Now()}, false
	made, err := d.Store.CreateCardReader(ctx, by, t, r.ID, func() (reader.Reader, error) {
		asked = true
		device, portErr := d.terminals(t).Pair(ctx, terminal.Pairing{ID: r.ID, Code: code, Tenant: t.String(),
			Until: r.ConfirmUntil()})
		return reader.New(r.ID, device.Serial, device.Model, given, r.CreatedAt), pairingFailure(portErr)
	})
	if asked && errors.Is(err, store.ErrTooManyCardReaders) { // other readers were added meanwhile
		err = errors.Join(err, d.terminals(t).Unpair(ctx, r.ID))
	}
	return made, err
}

func pairingFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, terminal.ErrNoTerminal):
		return failure.NotFound("No terminal shows this pairing_code.").WithCause(err)
	case errors.Is(err, terminal.ErrNotPending):
		return failure.Conflict("The terminal does not wait to be paired.").WithCause(err)
	default:
		return failure.Timeout(err) // the terminal may have been asked
	}
}

// listTime limits how long RefreshAll asks terminals.
const listTime = 3 * time.Second

// RefreshAll walks the readers, oldest first. It asks each terminal while time allows. An error ends the walk.
func (d *Driver) RefreshAll(ctx context.Context, t identity.Tenant) iter.Seq2[reader.Reader, error] {
	return func(yield func(reader.Reader, error) bool) {
		stored, err := d.Store.CardReaders(ctx, t)
		if err != nil {
			yield(reader.Reader{}, err)
			return
		}
		asking, cancel := context.WithTimeout(ctx, listTime)
		defer cancel()
		for _, r := range stored {
			r, err = d.saveChange(ctx, t, r, func(r reader.Reader) reader.Reader {
				if asking.Err() != nil {
					return r
				}
				return d.askPairing(asking, t, r)
			})
			if failure.Is(err, failure.KindNotFound) {
				continue // the reader was deleted meanwhile
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Refresh asks a reader's terminal about the pairing, and stores the answer. Failures: NotFound if deleted;
// ErrContended.
func (d *Driver) Refresh(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	return d.saveChange(ctx, t, r, func(r reader.Reader) reader.Reader { return d.askPairing(ctx, t, r) })
}

// saveChange stores a change of a reader. Failures: NotFound when the reader was deleted meanwhile, ErrContended.
func (d *Driver) saveChange(ctx context.Context, t identity.Tenant, r reader.Reader,
	change func(reader.Reader) reader.Reader) (reader.Reader, error) {
	return store.Retry(func(again bool) (reader.Reader, error) {
		if again {
			var err error
			if r, err = d.Store.CardReader(ctx, t, r.ID); err != nil {
				return r, err
			}
		}
		after := change(r)
		if after == r {
			return r, nil
		}
		return d.Store.SaveCardReader(ctx, t, after)
	})
}

// recordEnd stores that the terminal no longer has the pairing.
func (d *Driver) recordEnd(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	return d.saveChange(ctx, t, r, func(r reader.Reader) reader.Reader { return r.End(d.Store.Now()) })
}

// askPairing asks the terminal whether it has confirmed the pairing, unless that is settled. A terminal that has not
// confirmed in time is asked to forget the pairing, so that it cannot confirm any more.
func (d *Driver) askPairing(ctx context.Context, t identity.Tenant, r reader.Reader) reader.Reader {
	if r.Settled() {
		return r
	}
	now, port := d.Store.Now(), d.terminals(t)
	h, err := port.Heartbeat(ctx, r.ID)
	switch {
	case err == nil && h.Confirmed:
		return r.Confirm(now)
	case err == nil && r.StatusAt(now) == reader.Processing:
		return r
	case err == nil:
		err = port.Unpair(ctx, r.ID)
	case errors.Is(err, terminal.ErrUnpaired):
		err = nil
	}
	if err != nil {
		d.logSilence(ctx, r, err)
		return r
	}
	return r.End(now)
}

// Delete cancels a checkout that waits at the terminal, and ends the pairing. It may be repeated. Failures: NotFound,
// also for an open checkout that the caller may not see; Timeout when the acquirer or the terminal did not answer.
func (d *Driver) Delete(ctx context.Context, by audit.By, caller identity.Principal, id, operation string) error {
	return d.Store.DeleteCardReader(ctx, by, caller.Tenant, id, operation,
		func(r reader.Reader) error { return d.unpair(ctx, caller, r) })
}

var errNotStopped = errors.New("the acquirer did not say that the checkout is cancelled")

// unpair cancels the reader's open checkout and ends the pairing. A terminal without a pairing gets no other checkout.
func (d *Driver) unpair(ctx context.Context, caller identity.Principal, r reader.Reader) error {
	c, err := d.cancelLatest(ctx, caller, r)
	switch {
	case err != nil:
		return err
	case c.WaitsAtReader(): // the terminal could still charge
		return failure.Timeout(errNotStopped)
	}
	if err = d.terminals(caller.Tenant).Unpair(ctx, r.ID); err != nil {
		return failure.Timeout(err)
	}
	return nil
}

// cancelLatest cancels the reader's checkout if it waits for the cardholder. It returns the checkout afterwards, or the
// zero checkout if none is open. Failure: NotFound for another member's checkout that the caller may not see.
func (d *Driver) cancelLatest(ctx context.Context, caller identity.Principal, r reader.Reader) (payments.Checkout,
	error) {
	if r.Checkout == "" {
		return payments.Checkout{}, nil
	}
	c, err := d.Store.AnyCheckout(ctx, caller.Tenant, r.Checkout)
	switch {
	case err != nil || !c.AttemptOpen():
		return payments.Checkout{}, err
	case !caller.Sees(c.Creator.ID):
		return payments.Checkout{}, store.ErrNoCheckout
	}
	return d.TerminateWaiting(ctx, caller.Tenant, c)
}
