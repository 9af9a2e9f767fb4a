package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type processRequest struct {
	ID rest.ID `path:"id"`
	checkout.Payment
}

// process is processCheckout.
func (f family) process(ctx context.Context, req processRequest) (checkout.Processed, error) {
	caller := rest.Caller(ctx)
	if req.Token != "" && !caller.Has(identity.CreateMOTOPayments) {
		lack := identity.LackOfPermission(identity.CreateMOTOPayments)
		return checkout.Processed{}, failure.Denied(identity.Lacks("To charge a token, the credential lacks",
			[]identity.Lack{lack}))
	}
	payee := rest.Merchant(ctx)
	if !payee.OnlinePayments {
		return checkout.Processed{}, errNoOnlinePayments
	}
	if err := req.Check(payee, f.store.Now()).Err(); err != nil {
		return checkout.Processed{}, err
	}
	if err := f.visible(ctx, string(req.ID)); err != nil {
		return checkout.Processed{}, err
	}
	request := req.Request(string(req.ID), rest.OperationID(ctx))
	request.TaxEnabled = payee.Settings.Of(caller.Tenant.Mode).TaxEnabled
	request.PayerPresent = caller.Actor.Kind.InBrowser()
	request.AskedBy = []string{"credential " + caller.Actor.ID}
	if request.PayerPresent { // all payers share the merchant's public key, and a payer may get many merchant tokens
		request.AskedBy = []string{rest.SourceAddress(ctx)}
	}
	c, step, err := f.processing.Start(ctx, caller.Tenant, request)
	if err != nil {
		return checkout.Processed{}, err
	}
	if step != nil {
		return checkout.Processed{NextStep: checkout.NewNextStep(step, c.RedirectURL)}, nil
	}
	view := f.views.For(caller, c)
	return checkout.Processed{View: &view}, nil
}
