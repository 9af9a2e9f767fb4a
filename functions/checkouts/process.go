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

// process handles processCheckout.
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
	if err := f.checkVisible(ctx, string(req.ID)); err != nil {
		return checkout.Processed{}, err
	}
	request := req.Request(string(req.ID), rest.OperationID(ctx), payee)
	request.PayerPresent = caller.Actor.Kind.InBrowser()
	request.AskedBy = []string{"credential " + caller.Actor.ID}
	if request.PayerPresent { // all payers share the public key, and a payer can get many merchant tokens
		request.AskedBy, request.PayerBrowser = []string{rest.SourceAddress(ctx)}, new(rest.Browser(ctx))
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
