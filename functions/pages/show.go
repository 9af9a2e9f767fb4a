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

// visit is one request of a browser for the page of a checkout.
type visit struct {
	family
	tenant   identity.Tenant
	checkout payments.Checkout
	session  session
	begun    bool         // this request began the session
	surplus  *http.Cookie // another checkout's cookie, deleted when a session begins
	embedded bool
	from     origin
	address  string // the browser's address, as limits count it (rest.SourceAddress)
	browser  payments.Browser

	acceptLanguage string
}

// origin tells where the browser came from.
type origin string

// These are the origins. Browsers apply the form-action policy of a form's page also to the redirects after the form
// (CSP). So for a browser from one of these origins, a script on the page forwards the payer to the merchant, and our
// forms need not allow other sites.
const (
	fromForm origin = "form" // the page's own form
	fromBank origin = "bank" // the page of a payment method or, after a challenge, of the issuer or acquirer
)

// readVisit reads the checkout and the browser's session. Failure: NotFound, even if the checkout exists but is not
// hosted.
func (f family) readVisit(ctx context.Context, id string, embedded bool) (visit, error) {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return visit{}, store.ErrNoPaymentPage
	}
	t, c, err := f.store.HostedCheckout(ctx, id)
	return visit{family: f, tenant: t, checkout: c, session: f.readSession(ctx, id), embedded: embedded,
		surplus: f.newEvictionCookie(ctx, id, embedded), acceptLanguage: rest.AcceptLanguage(ctx),
		address: rest.SourceAddress(ctx), browser: rest.Browser(ctx)}, err
}

type showRequest struct {
	ID      rest.ID `path:"checkout_id"`
	Embed   string  `query:"embed" validate:"one-of=1"`
	Restart string  `query:"restart" validate:"one-of=1"`
	Change  string  `query:"change" validate:"one-of=1"`
	From    origin  `query:"from" validate:"one-of=form|bank"`
}

// show handles showPaymentPage (contract §13.3). Only the session that began an attempt sees the attempt's state.
func (f family) show(ctx context.Context, req showRequest) (rest.Document, error) {
	v, err := f.readVisit(ctx, string(req.ID), req.Embed != "")
	if err != nil {
		return rest.Document{}, err
	}
	v.from = req.From
	switch payable, _ := v.checkPayable(); {
	case req.Restart != "" && payable && !v.session.isLive():
		again := v.redirect("")
		again.Cookie, again.Forget = f.newSession(string(req.ID), v.embedded).cookie, v.surplus
		return again, nil
	case v.ownsAttempt() && (v.session.isLive() || v.status() == payments.CheckoutPaid):
		return v.showOwn(ctx, req.Change != "")
	case v.session.expired:
		return v.draw(v.view(stateSessionExpired))
	case payable:
		return v.showForm(ctx)
	default:
		return v.draw(v.view(stateEnded))
	}
}

// ownsAttempt returns true if the browser's session began the latest attempt.
func (v visit) ownsAttempt() bool {
	a := v.checkout.Attempt
	return a != nil && a.Browser != "" && a.Browser == v.session.browser()
}

func (v visit) status() payments.CheckoutStatus { return v.checkout.StatusAt(v.store.Now()) }

// askedBy returns the names under which attempts are counted: the browser's session and its address. Both count, so a
// new cookie alone, or a new address alone, gives no more attempts.
func (v visit) askedBy() []string { return []string{"session " + v.session.browser(), v.address} }

// checkPayable returns true if the checkout can be paid. It may return true together with the error TooMany: the
// checkout can be paid, but no attempt may begin yet.
func (v visit) checkPayable() (bool, error) {
	by := v.processing.Source(v.checkout.ID, true, v.askedBy()...)
	err := v.checkout.CheckProcessable(by, v.store.Now())
	return err == nil || failure.Is(err, failure.KindTooMany), err
}

// showOwn shows the state of the attempt that the browser's session began.
func (v visit) showOwn(ctx context.Context, change bool) (rest.Document, error) {
	if v.checkout.RequiresAction() && change {
		return v.showForm(ctx)
	}
	c, next, err := v.processing.Resume(ctx, v.tenant, v.checkout)
	if err != nil {
		return rest.Document{}, err
	}
	v.checkout = c
	payable, _ := v.checkPayable()
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

// showPaid shows the page of a complete payment, or redirects the payer to the merchant.
func (v visit) showPaid() (rest.Document, error) {
	shown := v.view(statePaid)
	if shown.Links.Return != "" && v.from == "" {
		return rest.Document{Redirect: shown.Links.Return}, nil
	}
	shown.Forward = shown.Links.Return != ""
	return v.draw(shown)
}

// showForm shows the payment methods. It begins a new session if needed. Failure: Forbidden, if the merchant may not
// take payments online.
func (v visit) showForm(ctx context.Context) (rest.Document, error) {
	m, err := v.readMerchant(ctx)
	if err != nil {
		return rest.Document{}, err
	}
	if !v.session.isLive() {
		v.session, v.begun = v.newSession(v.checkout.ID, v.embedded), true
	}
	shown := v.viewForm(m, entered{})
	if v.ownsAttempt() && v.status() == payments.CheckoutFailed {
		shown.Alert = alertDeclined
	}
	if _, err := v.checkPayable(); err != nil {
		shown.Alert, shown.RetryAfter = alertTooMany, failure.Of(err).RetryAfter
	}
	return v.draw(shown)
}
