package stripe

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Limits of the requests before the confirmation. The confirmation has the rest of callTime.
const (
	methodTime = 2 * time.Second
	intentTime = 2 * time.Second
	// giveUpTime limits the storing of a tombstone. The time of the call itself may be over by then.
	giveUpTime = 2 * time.Second
)

// Charge takes the charge. For a known id it returns the outcome of that charge and never confirms it. Errors:
// ErrNotTaken; after any other error the outcome is unknown.
func (a *Acquirer) Charge(ctx context.Context, request acquirer.Charge) (payments.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	known, err := a.records.readCharge(ctx, request.ID)
	switch {
	case err == nil:
		return a.answerStored(ctx, known)
	case !errors.Is(err, acquirer.ErrUnknownCharge):
		return payments.Outcome{}, err
	case !a.api.breaker.admits(a.records.Time()):
		return a.giveUp(ctx, request.ID, errBusy)
	}
	planned, err := a.planCharge(ctx, request)
	if err != nil {
		return a.giveUp(ctx, request.ID, err)
	}
	c, pinned, err := a.records.create(ctx, planned)
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case pinned && c.Outcome == nil:
		return a.confirm(ctx, request, c)
	default:
		return a.answerStored(ctx, c)
	}
}

// errNeverTaken reports a charge that Stripe has refused, or would refuse.
var errNeverTaken = errors.New("stripe: an earlier call has found that the charge can never be taken")

// answerStored answers a call for a charge that is stored. Errors: ErrNotTaken if the charge can never be taken.
func (a *Acquirer) answerStored(ctx context.Context, c charge) (payments.Outcome, error) {
	if c.NeverTaken {
		return payments.Outcome{}, notTaken("%w", errNeverTaken)
	}
	return asRunning(a.readOutcome(ctx, c))
}

// giveUp returns ErrNotTaken with the cause. First it stores a tombstone, so that another call for the id, at the same
// time or later, cannot pin an intent. If another call has pinned one, or has decided the charge, giveUp returns the
// outcome of that charge. If Stripe is still answering another call, giveUp leaves the charge to that call, and returns
// the cause.
func (a *Acquirer) giveUp(ctx context.Context, id string, cause error) (payments.Outcome, error) {
	if isConflict(cause) {
		return payments.Outcome{}, cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
	defer cancel()
	c, stored, err := a.records.create(ctx, charge{ID: id, NeverTaken: isUnsupported(cause) || isRefused(cause),
		Outcome: &outcome{Decision: payments.Cancelled}})
	switch {
	case err != nil:
		return payments.Outcome{}, errors.Join(cause, err)
	case stored:
		return payments.Outcome{}, notTaken("%w", cause)
	default:
		return a.answerStored(ctx, c)
	}
}

// planCharge returns the charge to store. The charge has a new intent, or an outcome if it is declined before.
func (a *Acquirer) planCharge(ctx context.Context, request acquirer.Charge) (charge, error) {
	c := newCharge(request)
	method, customer, err := a.payBy(ctx, request)
	if f, ok := asDecline(err); ok {
		c.Outcome = declined(f)
		return c, nil
	}
	if errors.Is(err, errForeignCard) {
		c.Outcome = declinedAs(codeInvalidCard)
		return c, nil
	}
	if err != nil {
		return c, err
	}
	ctx, cancel := context.WithTimeout(ctx, intentTime)
	defer cancel()
	var i intent
	create := call{method: http.MethodPost, path: "/v1/payment_intents", key: request.ID + "-intent",
		form: newPayment(request, c, method, customer)}
	if request.Amount.IsZero() {
		create.path = "/v1/setup_intents"
		create.form = newSetup(request, method, customer)
	}
	if err = a.api.send(ctx, create, &i); err == nil && !isName(i.ID) {
		err = errors.New("stripe: the new intent has no id")
	}
	c.Intent = i.ID
	return c, err
}

func newCharge(request acquirer.Charge) charge {
	return charge{ID: request.ID, Tenant: request.Reference.Tenant, CheckoutID: request.Reference.CheckoutID,
		Amount: request.Amount, Method: request.Method, Verification: request.Verification,
		Unattended: request.Agreement != nil, KeepsCard: keepsCard(request)}
}

// keepsCard returns true if the charge stores its card. Only a customer's card can be stored.
func keepsCard(request acquirer.Charge) bool { return request.Store && request.Customer != "" }

// newPayment returns the form of a PaymentIntent. It has no exemption from strong customer authentication, because
// Stripe requests exemptions by its own rules.
func newPayment(request acquirer.Charge, c charge, method, customer string) url.Values {
	units, currency := toStripe(request.Amount)
	form := newIntent(request, method, customer)
	form.Set("amount", strconv.FormatInt(units, 10))
	form.Set("currency", currency)
	if c.Verification {
		form.Set("capture_method", "manual")
	}
	if c.KeepsCard {
		form.Set("setup_future_usage", "off_session")
	}
	switch request.Method {
	case payments.Boleto:
		form.Set("payment_method_options[boleto][expires_after_days]", "3")
	case payments.Pix:
		form.Set("payment_method_options[pix][expires_after_seconds]", "86400")
	case payments.CardMethod, payments.GooglePay:
		setText(form, "statement_descriptor_suffix", suffix(request.Descriptor))
	}
	return form
}

// newSetup returns the form of a SetupIntent.
func newSetup(request acquirer.Charge, method, customer string) url.Values {
	form := newIntent(request, method, customer)
	form.Set("usage", "off_session")
	return form
}

// newIntent returns the parameters that each new intent has.
func newIntent(request acquirer.Charge, method, customer string) url.Values {
	form := url.Values{"payment_method": {method}, "payment_method_types[]": {methods[request.Method].kind}}
	setText(form, "customer", customer)
	setText(form, "on_behalf_of", request.Seller.Account)
	setOurs(form, metaCharge, request.ID)
	setOurs(form, metaTenant, request.Reference.Tenant)
	setOurs(form, metaCheckout, request.Reference.CheckoutID)
	return form
}

// maxSuffix is the length that a statement always has for the suffix: 22 characters, less the longest prefix of the
// account (10), and a star and a blank between them.
const maxSuffix = 10

// suffix returns the part of a payer's statement that names the merchant. Stripe wants a letter in it, so suffix
// returns "" for a name in another alphabet.
func suffix(descriptor string) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`<>\'"*`, r) {
			return -1
		}
		return r
	}, descriptor)
	text = strings.TrimSpace(text[:min(len(text), maxSuffix)])
	if strings.ToLower(text) == strings.ToUpper(text) {
		return ""
	}
	return text
}

// confirm has Stripe charge the intent that this call has pinned. It asks a second time, with the same idempotency key,
// if the answer is lost. Errors: ErrNotTaken; after any other error the outcome is unknown.
func (a *Acquirer) confirm(ctx context.Context, request acquirer.Charge, c charge) (payments.Outcome, error) {
	var i intent
	confirm := call{method: http.MethodPost, path: intentPath(c.Intent) + "/confirm", key: c.ID + "-confirm",
		form: newConfirmation(request, c)}
	err := a.api.send(ctx, confirm, &i)
	if isUnclear(err) && ctx.Err() == nil {
		err = a.api.send(ctx, confirm, &i)
	}
	switch {
	case err == nil:
		return asRunning(a.settle(ctx, c, i))
	case isRefused(err) && !isWrongStatus(err):
		return a.withdraw(ctx, c, err)
	default: // declined, cancelled meanwhile, or unclear
		return asRunning(a.readOutcome(ctx, c))
	}
}

// withdraw cancels an intent whose confirmation Stripe has refused, so that the request is not taken. If the intent was
// decided before, withdraw returns that outcome.
func (a *Acquirer) withdraw(ctx context.Context, c charge, cause error) (payments.Outcome, error) {
	o, err := a.cancelIntent(ctx, c, nil)
	if err == nil && o.Decision == payments.Cancelled {
		return payments.Outcome{}, notTaken("%w", cause)
	}
	return o, err
}

// newConfirmation returns the form that confirms the charge's intent.
func newConfirmation(request acquirer.Charge, c charge) url.Values {
	form := expanding(c.Intent)
	switch {
	case c.Unattended && !isSetup(c.Intent):
		form.Set("off_session", "true")
	case !c.Unattended:
		setText(form, "return_url", request.ReturnURL)
	}
	if consent := request.Consent; c.KeepsCard && consent != nil && consent.IP != "" && consent.UserAgent != "" {
		form.Set("mandate_data[customer_acceptance][type]", "online")
		form.Set("mandate_data[customer_acceptance][online][ip_address]", consent.IP)
		form.Set("mandate_data[customer_acceptance][online][user_agent]", consent.UserAgent)
	}
	return form
}
