package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type listRequest struct {
	Reference string `query:"checkout_reference"`
}

// list is listCheckouts: newest first, or the one with the reference. Clients
// recover from DUPLICATED_CHECKOUT by the reference, so that read is consistent.
func (f family) list(ctx context.Context, req listRequest) ([]checkout, error) {
	tenant := rest.Caller(ctx).Tenant
	var found []payments.Checkout
	var err error
	if req.Reference != "" {
		found, err = f.store.CheckoutsByReference(ctx, tenant, req.Reference)
	} else {
		found, err = f.store.Checkouts(ctx, tenant, rest.Merchant(ctx).ShardCount())
	}
	views := make([]checkout, len(found))
	for i, c := range found {
		views[i] = f.view(c)
	}
	return views, err
}

type idRequest struct {
	ID string `path:"id"`
}

// retrieve is retrieveCheckout.
func (f family) retrieve(ctx context.Context, req idRequest) (checkout, error) {
	caller := rest.Caller(ctx)
	c, err := f.store.Checkout(ctx, caller.Tenant, req.ID)
	if err != nil {
		return checkout{}, err
	}
	return f.publicView(c, caller.Actor.Kind), nil
}

// deactivate is deactivateCheckout.
func (f family) deactivate(ctx context.Context, req idRequest) (checkout, error) {
	c, err := f.processing.Deactivate(ctx, rest.Caller(ctx).Tenant, req.ID)
	if err != nil {
		return checkout{}, err
	}
	return f.view(c), nil
}
