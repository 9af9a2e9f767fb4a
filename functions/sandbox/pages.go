package sandbox

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// challengeRequest is what the payer's browser brings from the merchant's site (contract §4.4). MD is passed on unread.
type challengeRequest struct {
	PaReq   string `form:"PaReq" validate:"required"`
	MD      string `form:"MD" validate:"required"`
	TermURL string `form:"TermUrl" validate:"required"`
}

var (
	emptyPage = page.New("")
	// The script only presses the button; without scripts the payer does.
	continuePage = page.New("document.forms[0].submit();")
)

// challenge is the issuer's page: it shows what is paid, and until the decision offers the answers of contract §12.
func (p pages) challenge(ctx context.Context, req challengeRequest) (rest.Document, error) {
	view, err := p.challenged(ctx, req)
	if err != nil {
		return rest.Document{}, err
	}
	if !view.Waits() {
		return p.decided(ctx, view, req)
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := emptyPage.In(rest.Language(ctx)).Draw(t.issuerTitle, challengeBody(t, view, req))
	return document(drawn.Framed()), err
}

// decided is the page of a challenge whose charge has been decided. The way back is an answer that
// comes too late, which changes nothing: the platform then sends the payer on as the first time.
func (p pages) decided(ctx context.Context, view sandbox.View, req challengeRequest) (rest.Document, error) {
	paRes, err := p.Sandbox.Decide(ctx, req.PaReq, sandbox.Break)
	if err != nil {
		return rest.Document{}, err
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := emptyPage.In(rest.Language(ctx)).Draw(t.of(view.Decision).title,
		decidedBody(t, view, req.TermURL, paRes, req.MD))
	return document(drawn.Framed().Posting(destinations(view.ReturnURL)...)), err
}

// decisionRequest is the payer's answer on that page.
type decisionRequest struct {
	challengeRequest
	Decision sandbox.Answer `form:"decision" validate:"required one-of=approve|reject|error"`
}

// decide sends the browser on to the platform with the issuer's answer. The
// charge changes when the platform brings that answer to the acquirer.
func (p pages) decide(ctx context.Context, req decisionRequest) (rest.Document, error) {
	view, err := p.challenged(ctx, req.challengeRequest)
	if err != nil {
		return rest.Document{}, err
	}
	if err = validate.Forms(req).First(); err != nil {
		return rest.Document{}, err
	}
	paRes, err := p.Sandbox.Decide(ctx, req.PaReq, req.Decision)
	if err != nil {
		return rest.Document{}, err
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := continuePage.In(rest.Language(ctx)).Draw(t.backTitle, continueBody(t, req.TermURL, paRes, req.MD))
	return document(drawn.Framed().Posting(destinations(view.ReturnURL)...)), err
}

// challenged is the charge that a PaReq names. TermUrl must be the return
// address of its checkout, so that the answer can go nowhere else.
func (p pages) challenged(ctx context.Context, req challengeRequest) (sandbox.View, error) {
	if err := validate.Missing(req).First(); err != nil {
		return sandbox.View{}, err
	}
	view, err := inTestMode(p.Sandbox.Challenge(ctx, req.PaReq))
	if err != nil {
		return view, err
	}
	if req.TermURL != p.BaseURL+"/v0.1/checkouts/"+url.PathEscape(view.Reference.CheckoutID)+"/complete_payment" {
		return view, failure.Invalid("TermUrl", "is not the return address of this payment")
	}
	return view, nil
}

// inTestMode refuses unknown charges and those of live merchants.
func inTestMode(view sandbox.View, err error) (sandbox.View, error) {
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return view, errNoPayment
	}
	if err != nil {
		return view, err
	}
	if t, ok := identity.ParseTenant(view.Reference.Tenant); !ok || t.Mode != identity.Test {
		return view, errNoPayment
	}
	return view, nil
}

var errNoPayment = failure.NotFound("There is no payment waiting at this address.")

// document is a drawn page as the reply.
func document(p page.Page) rest.Document { return rest.Document{HTML: p.HTML, CSP: p.CSP} }

// destinations are where a form may lead once the platform redirects the payer to the merchant. The merchant's site may
// redirect further, and browsers hold the whole way to the form's policy, so the host is open.
func destinations(returnURL string) []string {
	switch {
	case returnURL == "":
		return nil
	case strings.HasPrefix(strings.ToLower(returnURL), "http:"):
		return []string{"https:", "http:"}
	default:
		return []string{"https:"}
	}
}

type bankRequest struct {
	SessionID string `path:"session_id"`
}

// bank serves the page of a redirect method's bank (contract §13.3). Other sites may not frame it. Once the payment is
// decided it offers only the way back.
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

// resolved has the platform record the bank's answer before the merchant reads the checkout. If that fails, the payer
// goes on, and the sweep does it later.
func (p pages) resolved(ctx context.Context, view sandbox.View) payments.CheckoutStatus {
	tenant, _ := identity.ParseTenant(view.Reference.Tenant) // inTestMode has parsed it
	checkout, err := p.Resolve(ctx, tenant, view.Reference.CheckoutID)
	if err != nil {
		p.Log.WarnContext(ctx, "bank decision not settled yet", "checkout", view.Reference.CheckoutID, "error", err)
		return payments.CheckoutPending
	}
	return checkout.Status
}
