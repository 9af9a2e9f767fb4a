package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// attemptRequest is the body of createPaymentPageAttempt: processCheckout's as JSON, or the page's form.
type attemptRequest struct {
	ID rest.ID `path:"checkout_id"`
	checkout.Payment
	attemptForm
	ofPage
}

// ofPage is what the page itself adds to a payment.
type ofPage struct {
	Embed string `query:"embed" validate:"one-of=1"`
	CSRF  string `json:"csrf_token" form:"csrf_token" validate:"required"`
	Key   string `json:"attempt_key" form:"attempt_key" validate:"required pattern=^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"` //nolint:lll // a tag is one line
}

// createAttempt is createPaymentPageAttempt: processCheckout by the payer's browser, with the payer present. It answers
// JSON as processCheckout does, and a form by a redirect to the page, or by the page with what is wrong.
func (f family) createAttempt(ctx context.Context, req attemptRequest) (any, error) {
	v, err := f.visit(ctx, string(req.ID), req.Embed != "")
	if err != nil {
		return nil, err
	}
	byForm := rest.IsForm(ctx)
	var faults failure.List
	if byForm {
		req.Payment, faults = req.payment()
	}
	answer, err := v.pay(ctx, req, faults)
	switch {
	case byForm && err != nil:
		return v.refuse(ctx, req, err)
	case byForm:
		return v.redirect("from=" + string(fromForm)), nil
	default:
		return answer, err
	}
}

// pay begins the attempt, unless there are faults of the form or others.
func (v visit) pay(ctx context.Context, req attemptRequest, faults failure.List) (checkout.Processed, error) {
	var none checkout.Processed
	if err := v.admit(req); err != nil {
		return none, err
	}
	m, err := v.merchant(ctx)
	if err != nil {
		return none, err
	}
	if err = append(faults, req.check(m, v.store.Now())...).Err(); err != nil {
		return none, err
	}
	c, step, err := v.start(ctx, req, m)
	if err != nil {
		return none, err
	}
	if step != nil {
		return checkout.Processed{NextStep: checkout.NewNextStep(step, c.RedirectURL)}, nil
	}
	shown := v.views.ForPage(c)
	return checkout.Processed{View: &shown}, nil
}

// Failures of a request that is not from a page of the browser's session.
var (
	errNotOurs        = failure.Denied("The request is not from this browser's own payment page: load the page again.")
	errSessionExpired = failure.Forbidden("session_expired").WithCode("PAYMENT_PAGE_EXPIRED").
				Because("The session on the payment page has ended: load the page again.")
)

var errNotOffered = failure.Invalid("payment_type", "is not available on the payment page").
	WithSlug("payment-method-not-allowed")

// admit makes sure that the browser's own page sends the request (CSRF), within the session. Failure: Forbidden.
func (v visit) admit(req attemptRequest) error {
	switch {
	case !v.session.ours(v.checkout, req.CSRF):
		return errNotOurs
	case v.session.expired:
		return errSessionExpired
	default:
		return nil
	}
}

// check lists what is wrong with the request, as processCheckout does. A payer's browser names no card and no customer.
func (req *attemptRequest) check(m merchant.Merchant, now time.Time) failure.List {
	faults := validate.Forms(req.ofPage)
	faults = faults.If(req.Token != "", failure.Invalid("token", "is not taken from a payment page"))
	req.Token, req.CustomerID = "", ""
	if req.PaymentType != "" && !offered(req.PaymentType) {
		return failure.List{errNotOffered}
	}
	faults = append(faults, req.Check(m, now)...)
	req.Mandate = nil // it is made of the request itself
	return faults
}

// start begins the attempt, or continues it when the request is repeated.
func (v visit) start(ctx context.Context, req attemptRequest,
	m merchant.Merchant) (payments.Checkout, *processing.Step, error) {
	request := req.Request(v.checkout.ID, v.session.operation(v.checkout.ID, req.Key, req.paidWith()))
	request.PayerPresent, request.AskedBy, request.Browser = true, v.askedBy(), v.session.browser()
	request.TaxEnabled = m.Settings.Of(v.tenant.Mode).TaxEnabled
	request.Mandate = true // the page says so of a card that is saved for later payments
	request.ReturnURL, request.Amount = v.returnURL(), &v.checkout.Amount
	return v.processing.Start(ctx, v.tenant, request)
}

// paidWith is what an attempt has of the request: method, instalments and card, without its CVV.
func (req *attemptRequest) paidWith() string {
	installments := 1
	if req.Installments != nil {
		installments = *req.Installments
	}
	all := []string{string(req.PaymentType), strconv.Itoa(installments)}
	if c := req.Card; c != nil {
		all = append(all, c.Number.Reveal(), c.ExpiryMonth, c.ExpiryYear)
	}
	return fmt.Sprintf("%q", all)
}

// returnURL is where a method's page sends the payer: to this page. A merchant's frame opens such a page in the whole
// window, without the frame's cookie, so from there the payer returns to the merchant if possible.
func (v visit) returnURL() string {
	if v.embedded && v.checkout.RedirectURL != "" {
		return ""
	}
	return v.views.PageURL(v.checkout.ID) + "?from=" + string(fromBank)
}

// refuse is the page after a form that began no attempt. Other errors are rest's.
func (v visit) refuse(ctx context.Context, req attemptRequest, err error) (any, error) {
	e := failure.Of(err)
	if v.session.cookie == nil || e == errSessionExpired {
		shown := v.view(stateSessionExpired)
		if v.session.cookie == nil {
			shown.Links.Restart = shown.Links.Page
		}
		return v.refused(http.StatusForbidden, shown)
	}
	if payable, _ := v.payable(); !payable || e.Kind == failure.KindConflict {
		return v.redirect("from=" + string(fromForm)), nil
	}
	why, known := refusals[e.Kind]
	if !known {
		return nil, err
	}
	m, merchantErr := v.merchant(ctx)
	if merchantErr != nil {
		return nil, merchantErr
	}
	var faults failure.List
	if !errors.As(err, &faults) {
		faults = failure.List{e}
	}
	shown := v.viewForm(m, entered{method: req.PaymentType, values: req.values(), faults: faults})
	shown.Alert, shown.RetryAfter = why.alert, e.RetryAfter
	return v.refused(why.status, shown)
}

// refusals are what the page says of a failure, and its status.
var refusals = map[failure.Kind]struct {
	alert  alert
	status int
}{
	failure.KindInvalid:   {alertFields, http.StatusBadRequest},
	failure.KindForbidden: {alertAgain, http.StatusForbidden},
	failure.KindUpstream:  {alertUnavailable, http.StatusFailedDependency},
	failure.KindTooMany:   {alertTooMany, http.StatusTooManyRequests},
}

// refused is a page with a status of its own.
func (v visit) refused(status int, shown view) (any, error) {
	d, err := v.draw(shown)
	d.Status, d.RetryAfter = status, shown.RetryAfter
	return d, err
}

// attemptForm is processCheckout's body as a form, whose fields have their path in JSON as name. Empty ones are absent.
type attemptForm struct {
	FormMethod       payments.Method `form:"payment_type"`
	FormCardName     string          `form:"card.name"`
	FormCardNumber   secret.Text     `form:"card.number"`
	FormExpiryMonth  string          `form:"card.expiry_month"`
	FormExpiryYear   string          `form:"card.expiry_year"`
	FormCVV          secret.Text     `form:"card.cvv"`
	FormZipCode      string          `form:"card.zip_code"`
	FormInstallments string          `form:"installments"`
	FormFirstName    string          `form:"personal_details.first_name"`
	FormLastName     string          `form:"personal_details.last_name"`
	FormEmail        string          `form:"personal_details.email"`
	FormTaxID        string          `form:"personal_details.tax_id"`
	FormCountry      string          `form:"personal_details.address.country"`
	FormLine1        string          `form:"personal_details.address.line_1"`
	FormLine2        string          `form:"personal_details.address.line_2"`
	FormCity         string          `form:"personal_details.address.city"`
	FormPostalCode   string          `form:"personal_details.address.postal_code"`
	FormState        string          `form:"personal_details.address.state"`
}

// cardData reports whether the field is of a card: no page ever shows that again.
func cardData(field string) bool { return strings.HasPrefix(field, "card.") }

// payment is what the form asks for, with what only the form can show to be wrong.
func (f attemptForm) payment() (checkout.Payment, failure.List) {
	p := checkout.Payment{PaymentType: f.FormMethod, Payer: f.payer()}
	if f.FormMethod == payments.CardMethod {
		p.Card = f.card()
	}
	if text := strings.TrimSpace(f.FormInstallments); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return p, failure.List{failure.Invalid(fieldInstallments, "must be an integer")}
		}
		p.Installments = &n
	}
	return p, nil
}

// card as people write it: the number in groups, the month perhaps without its zero.
func (f attemptForm) card() *payments.Card {
	number := strings.NewReplacer(" ", "", "-", "").Replace(f.FormCardNumber.Reveal())
	month := strings.TrimSpace(f.FormExpiryMonth)
	if len(month) == 1 {
		month = "0" + month
	}
	return &payments.Card{Name: strings.TrimSpace(f.FormCardName), Number: secret.New(number), ExpiryMonth: month,
		ExpiryYear: strings.TrimSpace(f.FormExpiryYear), CVV: secret.New(strings.TrimSpace(f.FormCVV.Reveal())),
		ZipCode: strings.TrimSpace(f.FormZipCode)}
}

func (f attemptForm) payer() *payments.PersonalDetailsChange {
	return &payments.PersonalDetailsChange{
		FirstName: given(f.FormFirstName), LastName: given(f.FormLastName), Email: given(f.FormEmail),
		TaxID: given(f.FormTaxID),
		Address: &payments.AddressChange{Country: given(f.FormCountry), Line1: given(f.FormLine1),
			Line2: given(f.FormLine2), City: given(f.FormCity), PostalCode: given(f.FormPostalCode),
			State: given(f.FormState)},
	}
}

// given is what was entered; an empty field takes nothing back that the checkout has.
func given(text string) optional.Of[string] {
	if text = strings.TrimSpace(text); text == "" {
		return optional.Of[string]{}
	}
	return optional.Some(text)
}

// values are what was entered, for the page that is shown again, without card data.
func (f attemptForm) values() map[string]string {
	return map[string]string{
		fieldInstallments: f.FormInstallments, fieldFirstName: f.FormFirstName, fieldLastName: f.FormLastName,
		fieldEmail: f.FormEmail, fieldTaxID: f.FormTaxID, fieldCountry: f.FormCountry, fieldLine1: f.FormLine1,
		fieldCity: f.FormCity, fieldPostalCode: f.FormPostalCode, fieldState: f.FormState,
	}
}
