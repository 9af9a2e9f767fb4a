package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
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

// completeRequest is the form that the issuer's page posts to TermUrl (contract §4.4).
type completeRequest struct {
	ID    rest.ID `path:"id"`
	PaRes string  `form:"PaRes" validate:"required"`
	MD    string  `form:"MD" validate:"required"`
}

// complete handles completePayment, the payer's return from 3DS. It redirects the browser to the merchant's page.
// Without a redirect_url it returns a page that reports the outcome to the frame's parent. If the challenge began on
// our payment page, the returned page leads back to that page or, once the checkout is paid, to the merchant.
func (f family) complete(ctx context.Context, req completeRequest) (rest.Document, error) {
	c, err := f.processing.Complete(ctx, string(req.ID), req.MD, req.PaRes)
	if err != nil {
		return rest.Document{}, err
	}
	next, status := c.RedirectURL, c.StatusAt(f.store.Now())
	if next != "" {
		if next, err = page.ReturnURL(next, c.ID); err != nil {
			return rest.Document{}, err
		}
	}
	switch onPage := c.Attempt != nil && c.Attempt.Browser != ""; {
	case !onPage && next != "":
		return rest.Document{Redirect: next}, nil
	case onPage && (next == "" || status != payments.CheckoutPaid):
		next = f.views.PageURL(c.ID)
	}
	outcome, err := page.Outcome(rest.Language(ctx), c.ID, status, next)
	return rest.Document{HTML: outcome.HTML, CSP: outcome.CSP}, err
}
