package readers

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// current is the reader that was read, with what its terminal says of the pairing. Failures:
// NotFound when it was deleted meanwhile, ErrContended.
func (f family) current(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	return f.record(ctx, t, r, func(r reader.Reader) reader.Reader { return f.ask(ctx, t, r) })
}

// record stores what has become of the reader that was read. Failures: NotFound when it was deleted
// meanwhile, ErrContended.
func (f family) record(ctx context.Context, t identity.Tenant, r reader.Reader,
	became func(reader.Reader) reader.Reader) (reader.Reader, error) {
	return store.Retry(func(again bool) (reader.Reader, error) {
		if again {
			var err error
			if r, err = f.store.CardReader(ctx, t, r.ID); err != nil {
				return r, err
			}
		}
		after := became(r)
		if after == r {
			return r, nil
		}
		return f.store.SaveCardReader(ctx, t, after)
	})
}

// ask asks the terminal whether it has confirmed the pairing, unless that is settled. One that has
// not in time is asked to forget it, so that it cannot confirm any more.
func (f family) ask(ctx context.Context, t identity.Tenant, r reader.Reader) reader.Reader {
	if r.Settled() {
		return r
	}
	now, port := f.store.Now(), f.processing.Terminal(t)
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
		f.silent(ctx, r, err)
		return r
	}
	return r.End(now)
}

// silent logs that a terminal did not answer.
func (f family) silent(ctx context.Context, r reader.Reader, err error) {
	f.log.WarnContext(ctx, "terminal did not answer", "reader", r.ID, "error", err)
}

var errNotStopped = errors.New("the acquirer did not say that the checkout is cancelled")

// stop cancels the checkout at the reader, if one is open, and ends the pairing: a terminal without
// a pairing gets no other checkout. Failures: NotFound when the caller may not see the checkout; Timeout when
// acquirer or terminal did not answer.
func (f family) stop(ctx context.Context, caller identity.Principal, r reader.Reader) error {
	c, err := f.end(ctx, caller, r)
	switch {
	case err != nil:
		return err
	case c.WaitsAtReader(): // the terminal could still charge
		return failure.Timeout(errNotStopped)
	}
	if err = f.processing.Terminal(caller.Tenant).Unpair(ctx, r.ID); err != nil {
		return failure.Timeout(err)
	}
	return nil
}

// statusReply is {data} of contract §13.7.
type statusReply struct {
	Data statusView `json:"data"`
}

// retrieveStatus is what the reader's terminal last reported. One that does not answer is offline.
func (f family) retrieveStatus(ctx context.Context, req readerPath) (statusReply, error) {
	t := rest.Caller(ctx).Tenant
	r, err := f.store.CardReader(ctx, t, req.ID)
	if err == nil {
		r, err = f.current(ctx, t, r)
	}
	switch {
	case err != nil:
		return statusReply{}, err
	case r.StatusAt(f.store.Now()) == reader.Expired:
		return statusReply{statusView{Status: offline}}, nil
	}
	h, err := f.processing.Terminal(t).Heartbeat(ctx, r.ID)
	switch {
	case errors.Is(err, terminal.ErrUnpaired): // it was paired again, or has forgotten the pairing
		_, err = f.record(ctx, t, r, func(r reader.Reader) reader.Reader { return r.End(f.store.Now()) })
		return statusReply{statusView{Status: offline}}, err
	case err != nil:
		f.silent(ctx, r, err)
		return statusReply{statusView{Status: offline}}, nil
	default:
		return statusReply{viewStatus(h)}, nil
	}
}
