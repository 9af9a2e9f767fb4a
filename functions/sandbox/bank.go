package sandbox

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type bankRequest struct {
	SessionID string `path:"session_id"`
}

// bank serves the page of a redirect method's bank (contract §13.3). It is a
// page of its own: other sites may not frame it. Once the payment is decided it
// offers only the way back.
func (p pages) bank(ctx context.Context, req bankRequest) (rest.Document, error) {
	view, err := inTestMode(p.Sandbox.Session(ctx, req.SessionID))
	if err != nil {
		return rest.Document{}, err
	}
	language := rest.Language(ctx)
	t, back := inLanguages.In(language), ""
	title := t.bankHeading(view)
	if !view.Waits() {
		title = t.of(view.Decision).title
		if back, err = wayBack(view); err != nil {
			return rest.Document{}, err
		}
	}
	drawn, err := emptyPage.In(language).Draw(title, bankBody(t, view, back))
	return document(drawn.Posting(destinations(view.ReturnURL)...)), err
}

// wayBack is where a payer goes who has decided; "" for a payment without a way back.
func wayBack(view sandbox.View) (string, error) {
	if view.ReturnURL == "" {
		return "", nil
	}
	return page.ReturnURL(view.ReturnURL, view.Reference.CheckoutID)
}

type bankDecisionRequest struct {
	bankRequest
	Decision sandbox.BankAnswer `form:"decision" validate:"required one-of=pay|fail|leave"`
}

// bankDecision does what the payer chose and sends them back to the merchant.
func (p pages) bankDecision(ctx context.Context, req bankDecisionRequest) (rest.Document, error) {
	if _, err := inTestMode(p.Sandbox.Session(ctx, req.SessionID)); err != nil {
		return rest.Document{}, err
	}
	if err := validate.Forms(req).First(); err != nil {
		return rest.Document{}, err
	}
	view, err := inTestMode(p.Sandbox.DecideSession(ctx, req.SessionID, req.Decision))
	if err != nil {
		return rest.Document{}, err
	}
	status := p.resolved(ctx, view)
	if view.ReturnURL == "" {
		var drawn page.Page
		drawn, err = page.Outcome(rest.Language(ctx), view.Reference.CheckoutID, status, "")
		return document(drawn), err
	}
	target, err := wayBack(view)
	return rest.Document{Redirect: target}, err
}

// resolved has the platform record the bank's answer before the merchant reads
// the checkout. If that fails now, the sweep does it later; the payer goes on
// either way.
func (p pages) resolved(ctx context.Context, view sandbox.View) payments.CheckoutStatus {
	tenant, _ := identity.ParseTenant(view.Reference.Tenant) // inTestMode has parsed it
	checkout, err := p.Resolve(ctx, tenant, view.Reference.CheckoutID)
	if err != nil {
		p.Log.WarnContext(ctx, "bank decision not settled yet", "checkout", view.Reference.CheckoutID, "error", err)
		return payments.CheckoutPending
	}
	return checkout.Status
}
