package processing

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// PaymentRequest is a request to pay a checkout. The caller has checked each field, but has not compared the fields
// with the checkout.
type PaymentRequest struct {
	CheckoutID   string
	Operation    string // identifies the request; the same for each retry with the same Idempotency-Key
	Method       payments.Method
	Card         *payments.Card
	CustomerID   string // set together with Token
	Token        string // of a saved card
	Installments int
	Wallet       secret.Text       // JSON object of the payer's wallet; see acquirer.Charge
	Consent      *payments.Consent // the request contains a mandate
	Payer        *payments.PersonalDetailsChange
	PayerPresent bool     // sent by the payer's browser, with a key or token (contract §2.1) or on the payment page
	AskedBy      []string // names for Source: a session, a network address, a credential

	PageSession string // hash of the session, if the attempt began on the payment page (contract §13.3)
	ReturnURL   string // where a method's page sends the payer; "": the checkout's redirect_url

	Amount       *money.Amount     // shown to the payer; only this amount is charged; nil: the checkout's amount
	Merchant     merchant.Merchant // as it is now
	PayerBrowser *payments.Browser // of the present payer; nil if unknown
}

// Step is the next page for the payer's browser.
type Step struct {
	payments.Step
	Redirect bool // a method's own page (GET), not a 3DS challenge (POST)
}

// Start processes a checkout. It makes 1 read (2 if it gives up an attempt that requires action), 1 write to claim the
// attempt, the call to the acquirer, and 1 transaction to record the outcome. The step is nil unless the payer has to
// act. Failures: NotFound; Conflict if an attempt is pending, or the checkout is paid or expired; NotChargeable;
// Upstream if the acquirer did not take the charge; TooMany; Invalid if the request does not fit the checkout.
func (p *Processor) Start(ctx context.Context, t identity.Tenant,
	request PaymentRequest) (payments.Checkout, *Step, error) {
	var instrument *payments.Instrument
	var begun bool
	c, err := store.Retry(func(bool) (c payments.Checkout, err error) {
		if c, instrument, err = p.readCheckout(ctx, t, request); err != nil {
			return c, err
		}
		if request.PageSession != "" && c.Superseded(request.Operation) {
			return c, errSuperseded
		}
		if begun = !c.StartedBy(request.Operation) || c.Restartable(); !begun {
			return c, nil
		}
		return p.begin(ctx, t, c, request, instrument)
	})
	if err != nil {
		return c, nil, err
	}
	return p.chargeAttempt(ctx, t, c, request, instrument, begun)
}

// readCheckout reads the checkout and, if the request names one, the saved card, in one call.
func (p *Processor) readCheckout(ctx context.Context, t identity.Tenant, request PaymentRequest) (payments.Checkout,
	*payments.Instrument, error) {
	if request.Token == "" {
		c, err := p.Store.Checkout(ctx, t, request.CheckoutID)
		return c, nil, err
	}
	c, instrument, err := p.Store.CheckoutWithInstrument(ctx, t, request.CheckoutID, request.CustomerID, request.Token)
	if err != nil {
		return c, nil, err
	}
	if instrument == nil || (request.PayerPresent && instrument.CustomerID != c.CustomerID) {
		return c, nil, errUnknownToken
	}
	return c, instrument, nil
}

// errUnknownToken is also returned when a payer's browser names another customer's card, in any state of the checkout,
// so that the browser cannot find out which tokens and customers exist.
var errUnknownToken = failure.Invalid("token", "must be the token of a saved card")

// errSuperseded refuses a repeated request of a payment page if another request has begun an attempt in the meantime.
var errSuperseded = failure.Conflict("Another payment attempt has been made since.")

// errAnotherAmount reports that the merchant has changed the amount since the payer saw it.
var errAnotherAmount = failure.Conflict("The amount has been changed since.")

// begin claims the checkout for a new attempt. Error: ErrStale if the caller must read the checkout again first.
func (p *Processor) begin(ctx context.Context, t identity.Tenant, c payments.Checkout, request PaymentRequest,
	instrument *payments.Instrument) (payments.Checkout, error) {
	now, by := p.Store.Now(), p.Source(request.CheckoutID, request.PayerPresent, request.AskedBy...)
	if err := c.CheckProcessable(by, now); err != nil {
		return c, err
	}
	if request.Amount != nil && *request.Amount != c.Amount {
		return c, errAnotherAmount
	}
	attempt, err := p.newAttempt(t, c, request, instrument)
	if err != nil {
		return c, err
	}
	if c.RequiresAction() {
		// Another process may change the checkout during the cancellation. So the checkout is read again, and the request is
		// checked again.
		if c, err = p.cancelAttempt(ctx, t, c); err == nil {
			err = store.ErrStale
		}
		return c, err
	}
	c.Payee.TaxEnabled = request.Merchant.Settings.Of(t.Mode).TaxEnabled
	if c, err = c.Begin(attempt, by, now); err != nil {
		return c, err
	}
	return p.Store.SaveCheckout(ctx, t, c)
}

// newAttempt returns a new attempt for the request, or a failure if the request does not fit the checkout.
func (p *Processor) newAttempt(t identity.Tenant, c payments.Checkout, request PaymentRequest,
	instrument *payments.Instrument) (payments.Attempt, error) {
	if err := request.check(c); err != nil {
		return payments.Attempt{}, err
	}
	a := payments.Attempt{
		ID: uuid.NewString(), Operation: request.Operation, Browser: request.PageSession, Method: request.Method,
		PaymentType: request.Method.PaymentType(), Installments: request.Installments,
		Verification: c.Purpose == payments.PurposeSetupRecurring, WithMandate: c.Purpose == payments.PurposeSetupRecurring,
	}
	switch {
	case instrument != nil:
		if err := instrument.CheckChargeable(p.Store.Now()); err != nil {
			return a, err
		}
		a.Token, a.Card = instrument.Token, &instrument.Card
		if instrument.CustomerID != c.CustomerID {
			a.TokenOwner = instrument.CustomerID
		}
		if instrument.Recurring() && !request.PayerPresent {
			a.PaymentType = payments.RecurringPayment
		}
	case request.Card != nil:
		summary := p.acquirer(t.Mode).Summary(request.Card)
		a.Card = &summary
		if c.CustomerID != "" {
			a.SaveAs = p.cardToken(t, c.CustomerID, request.Card.Number)
		}
	}
	return a, nil
}

// check refuses a request whose fields do not fit the checkout (contract §4.3).
func (r PaymentRequest) check(c payments.Checkout) error {
	setup := c.Purpose == payments.PurposeSetupRecurring
	// A payer's browser must not find out which customer the checkout belongs to. So the browser may name any customer. A
	// new card is still charged for the checkout's customer.
	another := r.CustomerID != "" && c.CustomerID != "" && r.CustomerID != c.CustomerID && !r.PayerPresent
	faults := failure.List{}.
		If(another, failure.Invalid("customer_id", "is not the checkout's customer")).
		If(setup && r.Card == nil, failure.Missing("card")).
		If(setup && r.Consent == nil, failure.Missing("mandate")).
		If(r.Method.Flow() == payments.RedirectFlow && r.returnURL(c) == "", failure.Missing("redirect_url"))
	if r.Method.Flow() != payments.CardFlow {
		faults = append(faults, r.Method.CheckPayer(r.payer(c))...)
	}
	return faults.Err()
}

// returnURL returns the address that a method's page sends the payer to.
func (r PaymentRequest) returnURL(c payments.Checkout) string {
	return cmp.Or(r.ReturnURL, c.RedirectURL)
}

// payer returns the checkout's payer details, overwritten by the request's.
func (r PaymentRequest) payer(c payments.Checkout) *payments.PersonalDetails {
	if r.Payer == nil {
		return c.Payer
	}
	var known payments.PersonalDetails
	if c.Payer != nil {
		known = *c.Payer
	}
	merged := r.Payer.Apply(known)
	return &merged
}

// cancelAttempt cancels the open attempt at the acquirer, and records the outcome.
func (p *Processor) cancelAttempt(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, error) {
	attemptID := c.Attempt.ID
	o, err := p.acquirer(t.Mode).Cancel(ctx, attemptID)
	if err != nil {
		return c, failure.Upstream(err)
	}
	if o.Decision == payments.OutcomeUnknown {
		return c, errAttemptPending
	}
	return p.record(ctx, t, c, attemptID, o)
}

// errAttemptPending reports that the acquirer has not decided on the open attempt. Until then the attempt cannot be
// cancelled, and no other attempt can begin (contract §4.5).
var errAttemptPending = failure.Conflict("The acquirer is still deciding on a payment.").AsTransient()

// chargeAttempt has the acquirer charge the claimed attempt, and records the outcome. A retry finds the same charge.
// Only the request that began the attempt can know that the acquirer never took it.
func (p *Processor) chargeAttempt(ctx context.Context, t identity.Tenant, c payments.Checkout, request PaymentRequest,
	instrument *payments.Instrument, begun bool) (payments.Checkout, *Step, error) {
	a := c.Attempt
	if a.State == payments.AttemptClosed {
		return c, nil, nil
	}
	if a.State == payments.AttemptPending && c.PastValidUntil(p.Store.Now()) {
		return p.cancelExpired(ctx, t, c)
	}
	asked := p.Store.Now()
	o, err := p.sendCharge(ctx, t, c, request, instrument)
	if begun && errors.Is(err, acquirer.ErrNotTaken) {
		p.measure(ctx, t, metric.PaymentsAttempted.Once(), metric.PaymentsNotTaken.Once())
		return p.closeNotTaken(ctx, t, c, err)
	}
	if err != nil {
		p.Log.WarnContext(ctx, "acquirer gave no answer to a charge", "checkout", c.ID, "attempt", a.ID, "error", err)
		o = payments.Outcome{Decision: payments.OutcomeUnknown}
	}
	var measured []metric.Value
	if begun { // for a retry, the first request has already counted the attempt
		measured = chargeMetrics(o, p.Store.Now().Sub(asked))
	}
	if c, err = p.record(ctx, t, c, a.ID, o, measured...); err != nil {
		return c, nil, err
	}
	if o.Decision == payments.Cancelled && c.Restartable() && c.StatusAt(p.Store.Now()) == payments.CheckoutPending {
		return c, nil, failure.Upstream(errCancelled)
	}
	return c, p.nextStep(c, a.ID, o), nil
}

// errCancelled reports a charge that another call has cancelled at the acquirer. No record of the attempt is left, so
// the client may try again.
var errCancelled = errors.New("processing: the charge was cancelled before it began")

// cancelExpired cancels a pending attempt after valid_until, instead of charging. The clock was read before the attempt
// was claimed, so a client may have read EXPIRED in between. EXPIRED is final, so no charge may begin. In a retry, the
// acquirer may have approved the earlier request's charge. The checkout is paid only in that case.
func (p *Processor) cancelExpired(ctx context.Context, t identity.Tenant,
	c payments.Checkout) (payments.Checkout, *Step, error) {
	o, err := p.acquirer(t.Mode).Cancel(ctx, c.Attempt.ID)
	if err != nil { // a poll will ask again
		o = payments.Outcome{Decision: payments.OutcomeUnknown}
	}
	if c, err = p.record(ctx, t, c, c.Attempt.ID, o); err != nil {
		return c, nil, err
	}
	if now := p.Store.Now(); c.StatusAt(now) == payments.CheckoutExpired {
		return c, nil, c.CheckProcessable(payments.Source{}, now)
	}
	return c, nil, nil
}

func (p *Processor) closeNotTaken(ctx context.Context, t identity.Tenant, c payments.Checkout,
	cause error) (payments.Checkout, *Step, error) {
	c, err := p.CloseNotTaken(context.WithoutCancel(ctx), t, c)
	return c, nil, errors.Join(failure.Upstream(cause), err)
}

// nextStep returns the payer's next page (contract §4.3, §4.4). The page of a challenge is our own: the built-in
// sandbox's page, or the page that leads on to the acquirer's.
func (p *Processor) nextStep(c payments.Checkout, attemptID string, o payments.Outcome) *Step {
	if o.Decision != payments.Challenge || o.Step == nil || !c.RequiresAction() || c.Attempt.ID != attemptID {
		return nil
	}
	switch {
	case c.Attempt.Method.Flow() == payments.RedirectFlow:
		return &Step{Step: *o.Step, Redirect: true}
	case p.isOwnPage(*o.Step):
		return &Step{Step: p.challengeForm(c, o.Step.URL, o.Step.Payload["PaReq"])}
	default: // OpenChallenge asks the acquirer again; PaReq is there only because clients expect it
		return &Step{Step: p.challengeForm(c, p.BaseURL+"/3ds/start", p.SessionToken(*c.Attempt))}
	}
}

// isOwnPage returns true if a challenge leads to a form of the platform itself, as the built-in sandbox's does.
func (p *Processor) isOwnPage(s payments.Step) bool {
	return !s.IsLink() && strings.HasPrefix(s.URL, p.BaseURL+"/")
}

// challengeForm returns the form that begins the open attempt's challenge (contract §4.4).
func (p *Processor) challengeForm(c payments.Checkout, url, paReq string) payments.Step {
	return payments.Step{URL: url, Payload: map[string]string{
		"PaReq": paReq, "MD": p.SessionToken(*c.Attempt), "TermUrl": p.completeURL(c.ID)}}
}

// completeURL returns the address of completePayment and completePaymentByLink.
func (p *Processor) completeURL(checkoutID string) string {
	return p.BaseURL + "/v0.1/checkouts/" + checkoutID + "/complete_payment"
}

// returnURL returns the address to which the acquirer sends the payer of the open attempt back. A challenge leads back
// to completePaymentByLink, with the payer's session. A method's page leads back where the request says.
func (p *Processor) returnURL(c payments.Checkout, request PaymentRequest) string {
	if c.Attempt.Method.Flow() == payments.CardFlow {
		return p.completeURL(c.ID) + "?MD=" + p.SessionToken(*c.Attempt)
	}
	return request.returnURL(c)
}
