package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type listRequest struct {
	Reference string `query:"checkout_reference"`
}

// list handles listCheckouts. Without a reference it returns all checkouts that the caller sees, newest first. With a
// reference it returns the checkout with this reference. The lookup by reference is consistent, so a client can recover
// from DUPLICATED_CHECKOUT.
func (f family) list(ctx context.Context, req listRequest) ([]checkout.View, error) {
	caller := rest.Caller(ctx)
	tenant := caller.Tenant
	var found []payments.Checkout
	var err error
	if req.Reference != "" {
		found, err = f.store.CheckoutsByReference(ctx, tenant, req.Reference)
	} else {
		found, err = f.store.Checkouts(ctx, tenant, rest.Merchant(ctx).ShardCount())
	}
	views := []checkout.View{}
	for _, c := range found {
		if caller.Sees(c.Creator.ID) {
			views = append(views, f.views.For(caller, c))
		}
	}
	return views, err
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
