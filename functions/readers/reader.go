package readers

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// readerPath names a reader.
type readerPath struct {
	ID string `path:"reader_id"`
}

// listing is all of a merchant's readers, without pages.
type listing struct {
	Items []readerView `json:"items"`
}

// listTime is how long a list asks terminals whether they have confirmed.
const listTime = 3 * time.Second

// list lists the tenant's readers, the oldest first. Those that it had no time to ask are shown as they are
// known.
func (f family) list(ctx context.Context, _ struct{}) (listing, error) {
	t, l := rest.Caller(ctx).Tenant, listing{Items: []readerView{}}
	readers, err := f.store.CardReaders(ctx, t)
	if err != nil {
		return l, err
	}
	asking, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	for _, r := range readers {
		r, err = f.record(ctx, t, r, func(r reader.Reader) reader.Reader {
			if asking.Err() != nil {
				return r
			}
			return f.ask(asking, t, r)
		})
		if failure.Is(err, failure.KindNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, viewReader(r, r.StatusAt(f.store.Now())))
	}
	return l, nil
}

type createRequest struct {
	PairingCode string           `json:"pairing_code" validate:"required pattern=^[0-9A-Za-z]{8,9}$"`
	Name        string           `json:"name" validate:"text=500"`
	Metadata    *member.Metadata `json:"metadata"`
	Meta        *member.Metadata `json:"meta"` // its older name
}

// create asks the terminal that shows the code to confirm the pairing. An interrupted request that
// is repeated under its Idempotency-Key finds the reader that it has made, or makes it of the pairing
// that it has begun.
func (f family) create(ctx context.Context, req createRequest) (readerView, error) {
	t, asked := rest.Caller(ctx).Tenant, false
	r := reader.Reader{ID: reader.ID(rest.OperationID(ctx)), CreatedAt: f.store.Now()}
	made, err := f.store.CreateCardReader(ctx, rest.By(ctx), t, r.ID, func() (reader.Reader, error) {
		asked = true
		device, portErr := f.processing.Terminal(t).Pair(ctx, terminal.Pairing{ID: r.ID,
			Code: strings.ToUpper(req.PairingCode), Tenant: t.String(), Until: r.ConfirmUntil()})
		given := reader.Given{Name: req.Name, Metadata: metadata(req.Metadata, req.Meta)}
		return reader.New(r.ID, device.Serial, device.Model, given, r.CreatedAt), pairingFailure(portErr)
	})
	if asked && errors.Is(err, store.ErrTooManyCardReaders) { // others were made meanwhile
		err = errors.Join(err, f.processing.Terminal(t).Unpair(ctx, r.ID))
	}
	if err != nil {
		return readerView{}, err
	}
	return viewReader(made, made.StatusAt(f.store.Now())), nil
}

// pairingFailure is what an error of the terminal means for the client.
func pairingFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, terminal.ErrNoTerminal):
		return failure.NotFound("No terminal shows this pairing_code.").WithCause(err)
	case errors.Is(err, terminal.ErrNotPending):
		return failure.Conflict("The terminal does not wait to be paired.").WithCause(err)
	default:
		return failure.Timeout(err) // it may have been asked
	}
}

// metadata is the newer field if it was sent, else the older one (contract §9).
func metadata(newer, older *member.Metadata) member.Metadata {
	switch {
	case newer != nil:
		return *newer
	case older != nil:
		return *older
	default:
		return ""
	}
}

// retrieve reads one reader.
func (f family) retrieve(ctx context.Context, req readerPath) (readerView, error) {
	r, err := f.store.CardReader(ctx, rest.Caller(ctx).Tenant, req.ID)
	return f.show(ctx, r, err)
}

type updateRequest struct {
	readerPath
	Name     *string          `json:"name" validate:"text=500"`
	Metadata *member.Metadata `json:"metadata"`
	Meta     *member.Metadata `json:"meta"`
}

// update overwrites the fields that are sent.
func (f family) update(ctx context.Context, req updateRequest) (readerView, error) {
	change := reader.Change{Name: req.Name, Metadata: req.Metadata}
	if change.Metadata == nil {
		change.Metadata = req.Meta
	}
	r, err := f.store.UpdateCardReader(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID,
		func(r reader.Reader) reader.Reader {
			return change.Apply(r, f.store.Now())
		})
	return f.show(ctx, r, err)
}

// delete ends the pairing, after the checkout that may wait at the terminal. It may be repeated: each
// step finds what was done before. Failure: NotFound, also while the reader has an open checkout that the caller
// may not see.
func (f family) delete(ctx context.Context, req readerPath) (rest.Empty, error) {
	caller, operation := rest.Caller(ctx), rest.OperationID(ctx)
	t := caller.Tenant
	return store.Retry(func(bool) (rest.Empty, error) {
		r, err := f.store.CardReader(ctx, t, req.ID)
		if failure.Is(err, failure.KindNotFound) {
			return rest.Empty{}, f.store.CardReaderDeletedBy(ctx, t, req.ID, operation)
		}
		if err == nil {
			err = f.stop(ctx, caller, r)
		}
		if err != nil {
			return rest.Empty{}, err
		}
		return rest.Empty{}, f.store.DeleteCardReader(ctx, rest.By(ctx), t, r, operation)
	})
}
