package readers

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// begunReply is {data} of createReaderCheckout.
type begunReply struct {
	Data begunView `json:"data"`
}

type begunView struct {
	CheckoutID          string `json:"checkout_id"`
	ClientTransactionID string `json:"client_transaction_id"`
}

// createCheckout puts a checkout before the cardholder. Its id is the operation's, so that a repeated
// request under one Idempotency-Key finds what it made before, and offers that to the terminal again.
func (f family) createCheckout(ctx context.Context, req checkoutRequest) (begunReply, error) {
	caller := rest.Caller(ctx)
	drafted, err := f.draft(rest.Merchant(ctx), caller, req)
	if err != nil {
		return begunReply{}, err
	}
	drafted.ID, drafted.CreatedBy = rest.OperationID(ctx), caller.Actor.ID
	drafted.Shard = rest.Merchant(ctx).ShardOf(drafted.ID)
	if caller.IsPerson() {
		drafted.Creator = payments.Creator{ID: caller.Actor.ID, Email: caller.Email}
	}
	c, err := store.Retry(func(bool) (payments.Checkout, error) {
		r, readErr := f.store.CardReader(ctx, caller.Tenant, req.ReaderID)
		if readErr == nil {
			readErr = checkModel(drafted, r)
		}
		if readErr != nil {
			return drafted, readErr
		}
		return f.take(ctx, caller.Tenant, r, drafted)
	})
	if err == nil {
		c, err = f.offer(ctx, caller.Tenant, c)
	}
	if err != nil {
		return begunReply{}, err
	}
	return begunReply{begunView{c.ID, c.ClientTransactionID()}}, nil
}

// take stores the new checkout as the reader's, if the reader can take one. What an earlier try of the
// operation stored is returned whatever the reader does now. Failures: READER_OFFLINE, READER_BUSY,
// ErrStale when the reader changed meanwhile.
func (f family) take(ctx context.Context, t identity.Tenant, r reader.Reader,
	c payments.Checkout) (payments.Checkout, error) {
	r, h, err := f.ready(ctx, t, r)
	if err != nil {
		if failure.Is(err, failure.KindUnprocessable) {
			if stored, readErr := f.store.AnyCheckout(ctx, t, c.ID); readErr == nil {
				return stored, nil
			}
		}
		return c, err
	}
	sale := *c.Reader
	sale.ReaderID, sale.Serial, sale.Model, sale.Firmware = r.ID, r.Serial, r.Model, h.Firmware
	c.Reader = &sale
	attempt := payments.Attempt{ID: uuid.NewString(), Operation: c.ID, Installments: sale.Installments}
	return f.store.CreateReaderCheckout(ctx, t, r, c.BeginAtReader(attempt, c.CreatedAt))
}

// ready is the reader with what its terminal reports, if it can take a checkout. Failures:
// READER_OFFLINE, also while it is not paired; READER_BUSY while its latest checkout is open.
func (f family) ready(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader,
	terminal.Heartbeat, error) {
	r, h, err := f.reached(ctx, t, r)
	if err != nil || r.Checkout == "" {
		return r, h, err
	}
	latest, err := f.store.AnyCheckout(ctx, t, r.Checkout)
	if err == nil {
		latest, err = f.processing.ResolveAtReader(ctx, t, latest)
	}
	switch {
	case err == nil && latest.AttemptOpen():
		err = busy()
	case err == nil && h.State != terminal.Idle: // it got the checkout after it had been terminated
		if stopErr := f.processing.Terminal(t).Terminate(ctx, latest.ID); stopErr != nil {
			f.silent(ctx, r, stopErr)
		}
	}
	return r, h, err
}

// reached is the reader with what its terminal reports. Failure: READER_OFFLINE, also while it is not
// paired and when the terminal does not answer.
func (f family) reached(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, terminal.Heartbeat,
	error) {
	r, err := f.current(ctx, t, r)
	if err != nil {
		return r, terminal.Heartbeat{}, err
	}
	if r.StatusAt(f.store.Now()) != reader.Paired {
		return r, terminal.Heartbeat{}, unreachable("The reader is not paired.")
	}
	h, err := f.processing.Terminal(t).Heartbeat(ctx, r.ID)
	switch {
	case errors.Is(err, terminal.ErrUnpaired):
		end := func(r reader.Reader) reader.Reader { return r.End(f.store.Now()) }
		if r, err = f.record(ctx, t, r, end); err == nil {
			err = unreachable("The reader is not paired.")
		}
	case err != nil:
		f.silent(ctx, r, err)
		err = unreachable("The reader does not answer.")
	case !h.Online:
		err = unreachable("The reader is offline.")
	}
	return r, h, err
}

// offer gives the stored checkout to the terminal. Failures: READER_OFFLINE, READER_BUSY, also for a
// checkout that the terminal refused in an earlier try.
func (f family) offer(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	c, err := f.processing.OfferAtReader(ctx, t, c)
	switch {
	case errors.Is(err, terminal.ErrBusy):
		return c, busy()
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired), err == nil && c.NeverOffered():
		return c, unreachable("The reader does not take the checkout.")
	default:
		return c, err
	}
}

// busy is the failure of a reader with an open checkout (contract §13.7).
func busy() error { return readerFailure("The reader has an open checkout.", "READER_BUSY") }

const offlineSlug = "reader-offline"

// unreachable is the failure of a reader whose terminal can be given nothing now (contract §13.7).
func unreachable(why string) error {
	return readerFailure(why, "READER_OFFLINE").WithSlug(offlineSlug)
}

func readerFailure(why, kind string) *failure.Error {
	e := failure.Unprocessable(why)
	e.Errors = rest.ReaderError{Detail: why, Type: kind}
	return e
}

// checkoutPath names a checkout at a reader.
type checkoutPath struct {
	ReaderID string  `path:"reader_id"`
	ID       rest.ID `path:"checkout_id"`
}

// retrieveCheckout reads a checkout at the reader, after recording what has become of it.
func (f family) retrieveCheckout(ctx context.Context, req checkoutPath) (checkoutReply, error) {
	caller := rest.Caller(ctx)
	c, err := f.store.AnyCheckout(ctx, caller.Tenant, string(req.ID))
	switch {
	case err != nil:
		return checkoutReply{}, err
	case c.Reader == nil, c.NeverOffered(), c.Reader.ReaderID != req.ReaderID, !caller.Sees(c.Creator.ID):
		return checkoutReply{}, store.ErrNoCheckout
	}
	if c, err = f.processing.ResolveAtReader(ctx, caller.Tenant, c); err != nil {
		return checkoutReply{}, err
	}
	return checkoutReply{viewCheckout(c)}, nil
}

// terminate stops the reader's checkout while it waits for the cardholder. There is nothing to do when
// none does; what has become of it the callback says. Failures: NotFound, also when the checkout is
// another's and the caller sees its own alone; READER_OFFLINE.
func (f family) terminate(ctx context.Context, req readerPath) (rest.Empty, error) {
	caller := rest.Caller(ctx)
	r, err := f.store.CardReader(ctx, caller.Tenant, req.ID)
	if err == nil {
		r, _, err = f.reached(ctx, caller.Tenant, r)
	}
	if err == nil {
		_, err = f.end(ctx, caller, r)
	}
	return rest.Empty{}, err
}

// end cancels the reader's checkout while it waits for the cardholder, and returns the checkout as it is then. The
// checkout is zero if none is open. Failure: NotFound when the caller may not see the checkout, because another member
// created it.
func (f family) end(ctx context.Context, caller identity.Principal, r reader.Reader) (payments.Checkout, error) {
	if r.Checkout == "" {
		return payments.Checkout{}, nil
	}
	c, err := f.store.AnyCheckout(ctx, caller.Tenant, r.Checkout)
	switch {
	case err != nil || !c.AttemptOpen():
		return payments.Checkout{}, err
	case !caller.Sees(c.Creator.ID):
		return payments.Checkout{}, store.ErrNoCheckout
	}
	return f.processing.TerminateAtReader(ctx, caller.Tenant, c)
}
