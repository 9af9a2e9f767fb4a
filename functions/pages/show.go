package pages

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// visit is a browser at the page of a checkout.
type visit struct {
	family
	tenant   identity.Tenant
	checkout payments.Checkout
	session  session
	begun    bool         // the session begins with this request
	surplus  *http.Cookie // of another session, which is deleted then
	embedded bool
	from     origin
	address  string // of the browser, as limits count it (rest.SourceAddress)

	acceptLanguage string
}

// origin is how the browser has come to the page.
type origin string

// The origins. Browsers hold redirects after a form to the policy of the form's page (CSP, form-action), so after one
// of these the page itself leads on to the merchant, and our forms need not lead to other sites.
const (
	fromForm origin = "form" // the page's own
	fromBank origin = "bank" // a method's page
)

// visit reads the checkout and the browser's session. Failure: NotFound, also for a checkout that is not hosted.
func (f family) visit(ctx context.Context, id string, embedded bool) (visit, error) {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return visit{}, store.ErrNoPaymentPage
	}
	t, c, err := f.store.HostedCheckout(ctx, id)
	return visit{family: f, tenant: t, checkout: c, session: f.session(ctx, id), embedded: embedded,
		surplus: f.surplus(ctx, id, embedded), acceptLanguage: rest.AcceptLanguage(ctx),
		address: rest.SourceAddress(ctx)}, err
}

type showRequest struct {
	ID      rest.ID `path:"checkout_id"`
	Embed   string  `query:"embed" validate:"one-of=1"`
	Restart string  `query:"restart" validate:"one-of=1"`
	Change  string  `query:"change" validate:"one-of=1"`
	From    origin  `query:"from" validate:"one-of=form|bank"`
}

// show is showPaymentPage (contract §13.3). Only the session that began an attempt sees the attempt's state.
func (f family) show(ctx context.Context, req showRequest) (rest.Document, error) {
	v, err := f.visit(ctx, string(req.ID), req.Embed != "")
	if err != nil {
		return rest.Document{}, err
	}
	v.from = req.From
	switch payable, _ := v.payable(); {
	case req.Restart != "" && payable && !v.session.live():
		again := v.redirect("")
		again.Cookie, again.Forget = f.begin(string(req.ID), v.embedded).cookie, v.surplus
		return again, nil
	case v.own() && (v.session.live() || v.status() == payments.CheckoutPaid):
		return v.showOwn(ctx, req.Change != "")
	case v.session.expired:
		return v.draw(v.view(stateSessionExpired))
	case payable:
		return v.showForm(ctx)
	default:
		return v.draw(v.view(stateEnded))
	}
}

// own reports whether the browser's session has begun the latest attempt.
func (v visit) own() bool {
	a := v.checkout.Attempt
	return a != nil && a.Browser != "" && a.Browser == v.session.browser()
}

func (v visit) status() payments.CheckoutStatus { return v.checkout.StatusAt(v.store.Now()) }

// askedBy returns the browser's session and address. Both count, so a new cookie or address gives no more attempts.
func (v visit) askedBy() []string { return []string{"session " + v.session.browser(), v.address} }

// payable reports whether an attempt may begin, if not at once: the failure is then TooMany.
func (v visit) payable() (bool, error) {
	by := v.processing.Source(v.checkout.ID, true, v.askedBy()...)
	err := v.checkout.CheckProcessable(by, v.store.Now())
	return err == nil || failure.Is(err, failure.KindTooMany), err
}

// showOwn shows the state of the attempt that the browser's session has begun.
func (v visit) showOwn(ctx context.Context, change bool) (rest.Document, error) {
	if v.checkout.RequiresAction() && change {
		return v.showForm(ctx)
	}
	c, next, err := v.processing.Resume(ctx, v.tenant, v.checkout)
	if err != nil {
		return rest.Document{}, err
	}
	v.checkout = c
	payable, _ := v.payable()
	switch {
	case v.status() == payments.CheckoutPaid:
		return v.showPaid()
	case next != nil:
		return v.draw(v.viewNext(next))
	case v.checkout.RequiresAction() && v.checkout.Attempt.Code != nil:
		return v.draw(v.viewCode())
	case v.checkout.AttemptOpen():
		return v.draw(v.view(stateProcessing))
	case payable:
		return v.showForm(ctx)
	default:
		return v.draw(v.view(stateExpired))
	}
}

// showPaid takes the payer to the merchant.
func (v visit) showPaid() (rest.Document, error) {
	shown := v.view(statePaid)
	if shown.Links.Return != "" && v.from == "" {
		return rest.Document{Redirect: shown.Links.Return}, nil
	}
	shown.Forward = shown.Links.Return != ""
	return v.draw(shown)
}

// showForm shows the ways to pay, in a new session if needed. Failure: Forbidden without online payments.
func (v visit) showForm(ctx context.Context) (rest.Document, error) {
	m, err := v.merchant(ctx)
	if err != nil {
		return rest.Document{}, err
	}
	if !v.session.live() {
		v.session, v.begun = v.begin(v.checkout.ID, v.embedded), true
	}
	shown := v.viewForm(m, entered{})
	if v.own() && v.status() == payments.CheckoutFailed {
		shown.Alert = alertDeclined
	}
	if _, err := v.payable(); err != nil {
		shown.Alert, shown.RetryAfter = alertTooMany, failure.Of(err).RetryAfter
	}
	return v.draw(shown)
}
