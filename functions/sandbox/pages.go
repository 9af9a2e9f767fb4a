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

// challengeRequest is the form that the merchant's site makes the browser post (contract §4.4). The sandbox passes MD
// on without reading it.
type challengeRequest struct {
	PaReq   string `form:"PaReq" validate:"required"`
	MD      string `form:"MD" validate:"required"`
	TermURL string `form:"TermUrl" validate:"required"`
}

var (
	emptyPage = page.New("")
	// The script submits the form. Without scripts the payer presses the button.
	continuePage = page.New("document.forms[0].submit();")
)

// showChallenge serves the issuer's page, which shows the payment. Until the payer has decided, the page also offers
// the answers of contract §12.
func (p pages) showChallenge(ctx context.Context, req challengeRequest) (rest.Document, error) {
	view, err := p.readChallenge(ctx, req)
	if err != nil {
		return rest.Document{}, err
	}
	if !view.Waits() {
		return p.showDecided(ctx, view, req)
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := emptyPage.In(rest.Language(ctx)).Draw(t.issuerTitle, challengeBody(t, view, req))
	return document(drawn.Framed()), err
}

// showDecided serves the page of a challenge that has been decided. The button that leads back sends an answer, which
// comes too late and changes nothing: the platform sends the payer on as before.
func (p pages) showDecided(ctx context.Context, view sandbox.View, req challengeRequest) (rest.Document, error) {
	paRes, err := p.Sandbox.Decide(ctx, req.PaReq, sandbox.Break)
	if err != nil {
		return rest.Document{}, err
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := emptyPage.In(rest.Language(ctx)).Draw(t.of(view.Decision).title,
		decidedBody(t, view, req.TermURL, paRes, req.MD))
	return document(drawn.Framed().Posting(anywhere...)), err
}

// decisionRequest is the payer's answer on the issuer's page.
type decisionRequest struct {
	challengeRequest
	Decision sandbox.Answer `form:"decision" validate:"required one-of=approve|reject|error"`
}

// decide sends the browser to the platform with the issuer's answer. The charge changes when the platform passes that
// answer to the acquirer.
func (p pages) decide(ctx context.Context, req decisionRequest) (rest.Document, error) {
	if _, err := p.readChallenge(ctx, req.challengeRequest); err != nil {
		return rest.Document{}, err
	}
	if err := validate.Forms(req).First(); err != nil {
		return rest.Document{}, err
	}
	paRes, err := p.Sandbox.Decide(ctx, req.PaReq, req.Decision)
	if err != nil {
		return rest.Document{}, err
	}
	t := inLanguages.In(rest.Language(ctx))
	drawn, err := continuePage.In(rest.Language(ctx)).Draw(t.backTitle, continueBody(t, req.TermURL, paRes, req.MD))
	return document(drawn.Framed().Posting(anywhere...)), err
}

// readChallenge reads the charge that a PaReq names. The TermUrl must be the return address of the charge's checkout,
// so that the answer cannot be sent elsewhere.
func (p pages) readChallenge(ctx context.Context, req challengeRequest) (sandbox.View, error) {
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

// inTestMode returns the charge, unless it is unknown or belongs to a live merchant.
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

// document returns a rendered page as the reply.
func document(p page.Page) rest.Document { return rest.Document{HTML: p.HTML, CSP: p.CSP} }

// anywhere are the form-action sources of a challenge. Its form posts to completePayment, which may redirect to the
// merchant, and the merchant's site may redirect further. Browsers apply the form's policy to each of these redirects.
var anywhere = []string{"https:", "http:"}

// destinations returns the form-action sources for redirects from a method's page to the merchant. The merchant's site
// may redirect further, so any host is allowed.
func destinations(returnURL string) []string {
	switch {
	case returnURL == "":
		return nil
	case strings.HasPrefix(strings.ToLower(returnURL), "http:"):
		return anywhere
	default:
		return []string{"https:"}
	}
}

type bankRequest struct {
	SessionID string `path:"session_id"`
}

// showBank serves the page of a redirect method's bank (contract §13.3). Other sites may not frame the page. Once the
// payment is decided, the page offers only the way back to the merchant.
func (p pages) showBank(ctx context.Context, req bankRequest) (rest.Document, error) {
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

// wayBack returns the address to which the payer goes after the decision, or "" if the payment has none.
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

// decideAtBank carries out the payer's choice, and sends the payer back to the merchant.
func (p pages) decideAtBank(ctx context.Context, req bankDecisionRequest) (rest.Document, error) {
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
	status := p.notify(ctx, view)
	if view.ReturnURL == "" {
		var drawn page.Page
		drawn, err = page.Outcome(rest.Language(ctx), view.Reference.CheckoutID, status, "")
		return document(drawn), err
	}
	target, err := wayBack(view)
	return rest.Document{Redirect: target}, err
}

// notify sends the platform a notice of the payer's decision, before the merchant reads the checkout. It returns the
// status to show to the payer. If the notice fails, the payer still goes on, and the platform learns the decision
// later.
func (p pages) notify(ctx context.Context, view sandbox.View) payments.CheckoutStatus {
	if view.Waits() { // the payer has not decided
		return payments.CheckoutPending
	}
	checkout, err := p.Notify(ctx, view.Hint())
	if err != nil {
		p.Log.WarnContext(ctx, "bank decision not settled yet", "checkout", view.Reference.CheckoutID, "error", err)
		return payments.CheckoutPending
	}
	return checkout.Status
}
