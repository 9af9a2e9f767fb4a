package checkouts

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type listRequest struct {
	Reference string `query:"checkout_reference"`
}

// maxListBytes limits the list of checkouts, so that the function's answer stays below 6 MB (AWS: "Lambda quotas"). A
// thousand usual checkouts have 0.8 MB. With 100 attempts each they would have 41 MB.
const maxListBytes = 5_000_000

// list handles listCheckouts. Without a reference it returns the newest checkouts that the caller sees, newest first.
// With a reference it returns the checkout with this reference. The lookup by reference is consistent, so a client can
// recover from DUPLICATED_CHECKOUT.
func (f family) list(ctx context.Context, req listRequest) ([]json.RawMessage, error) {
	caller := rest.Caller(ctx)
	walk := f.store.Checkouts(ctx, caller.Tenant, rest.Merchant(ctx).ShardCount())
	if req.Reference != "" {
		walk = f.findByReference(ctx, caller.Tenant, req.Reference)
	}
	views, size := []json.RawMessage{}, 0
	for c, err := range walk {
		if err != nil {
			return nil, err
		}
		if !caller.Sees(c.Creator.ID) {
			continue
		}
		view, err := rest.Marshal(f.views.For(caller, c))
		if size += sizeInAnswer(view); err != nil || size > maxListBytes {
			return views, err
		}
		views = append(views, view)
	}
	return views, nil
}

// sizeInAnswer returns the size of JSON in the function's answer, which holds the body as a JSON string. There each
// quote and backslash takes a backslash more.
func sizeInAnswer(text []byte) int {
	return len(text) + len(",") + bytes.Count(text, []byte(`"`)) + bytes.Count(text, []byte(`\`))
}

// findByReference yields the checkout with the reference, if any.
func (f family) findByReference(ctx context.Context, t identity.Tenant,
	reference string) iter.Seq2[payments.Checkout, error] {
	return func(yield func(payments.Checkout, error) bool) {
		found, err := f.store.CheckoutsByReference(ctx, t, reference)
		for _, c := range found {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(payments.Checkout{}, err)
		}
	}
}

type idRequest struct {
	ID rest.ID `path:"id"`
}

// retrieve handles retrieveCheckout.
func (f family) retrieve(ctx context.Context, req idRequest) (checkout.View, error) {
	c, err := f.read(ctx, string(req.ID))
	return f.views.For(rest.Caller(ctx), c), err
}

// read returns a checkout. Failure: NotFound, also if the caller may not see the checkout.
func (f family) read(ctx context.Context, id string) (payments.Checkout, error) {
	caller := rest.Caller(ctx)
	c, err := f.store.Checkout(ctx, caller.Tenant, id)
	if err == nil && !caller.Sees(c.Creator.ID) {
		return payments.Checkout{}, store.ErrNoCheckout
	}
	return c, err
}

// checkVisible checks that the caller may see a checkout. It runs before package processing, which does not know the
// caller. The result cannot change in between, since a checkout's creator never changes. Failure: NotFound.
func (f family) checkVisible(ctx context.Context, id string) error {
	if rest.Caller(ctx).Has(identity.FullTransactionHistoryView) {
		return nil
	}
	_, err := f.read(ctx, id)
	return err
}

// deactivate handles deactivateCheckout.
func (f family) deactivate(ctx context.Context, req idRequest) (checkout.View, error) {
	if err := f.checkVisible(ctx, string(req.ID)); err != nil {
		return checkout.View{}, err
	}
	c, err := f.processing.Deactivate(ctx, rest.Caller(ctx).Tenant, string(req.ID))
	return f.views.For(rest.Caller(ctx), c), err
}
