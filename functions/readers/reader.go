package readers

import (
	"cmp"
	"context"
	"strings"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// readerPath names a reader.
type readerPath struct {
	ID string `path:"reader_id"`
}

// listing is all of a merchant's readers, without pages.
type listing struct {
	Items []readerView `json:"items"`
}

// list lists the tenant's readers, the oldest first.
func (f family) list(ctx context.Context, _ struct{}) (listing, error) {
	l := listing{Items: []readerView{}}
	for r, err := range f.readers.RefreshAll(ctx, rest.Caller(ctx).Tenant) {
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, f.view(r))
	}
	return l, nil
}

type createRequest struct {
	PairingCode string           `json:"pairing_code" validate:"required pattern=^[0-9A-Za-z]{8,9}$"`
	Name        string           `json:"name" validate:"text=500"`
	Metadata    *member.Metadata `json:"metadata"`
	Meta        *member.Metadata `json:"meta"` // its older name (contract §9)
}

// create asks the terminal that shows the code to confirm the pairing.
func (f family) create(ctx context.Context, req createRequest) (readerView, error) {
	given := reader.Given{Name: req.Name}
	if m := cmp.Or(req.Metadata, req.Meta); m != nil {
		given.Metadata = *m
	}
	r, err := f.readers.Pair(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, rest.OperationID(ctx),
		strings.ToUpper(req.PairingCode), given)
	if err != nil {
		return readerView{}, err
	}
	return f.view(r), nil
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
	change := reader.Change{Name: req.Name, Metadata: cmp.Or(req.Metadata, req.Meta)}
	r, err := f.store.UpdateCardReader(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID,
		func(r reader.Reader) reader.Reader {
			return change.Apply(r, f.store.Now())
		})
	return f.show(ctx, r, err)
}

// delete ends the pairing, after the checkout that may wait at the terminal.
func (f family) delete(ctx context.Context, req readerPath) (rest.Empty, error) {
	return rest.Empty{}, f.readers.Delete(ctx, rest.By(ctx), rest.Caller(ctx), req.ID, rest.OperationID(ctx))
}
