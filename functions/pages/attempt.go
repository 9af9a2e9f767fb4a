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

// attemptRequest is the body of createPaymentPageAttempt. It is either the JSON of processCheckout, or the page's form.
type attemptRequest struct {
	ID rest.ID `path:"checkout_id"`
	checkout.Payment
	attemptForm
	ofPage
}

// ofPage holds the fields that the page adds to a request to pay.
type ofPage struct {
	Embed string `query:"embed" validate:"one-of=1"`
	CSRF  string `json:"csrf_token" form:"csrf_token" validate:"required"`
	Key   string `json:"attempt_key" form:"attempt_key" validate:"required pattern=^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"` //nolint:lll // a struct tag must be one line
}

// createAttempt handles createPaymentPageAttempt: the payer's browser processes the checkout while the payer is
// present. If the request is JSON, the answer is the same as from processCheckout. If the request is a form, the answer
// is a redirect to the page, or the page with the faults.
func (f family) createAttempt(ctx context.Context, req attemptRequest) (any, error) {
	v, err := f.readVisit(ctx, string(req.ID), req.Embed != "")
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

// pay begins the attempt, unless the form or the request has faults.
func (v visit) pay(ctx context.Context, req attemptRequest, faults failure.List) (checkout.Processed, error) {
	var none checkout.Processed
	if err := v.admit(req); err != nil {
		return none, err
	}
	m, err := v.readMerchant(ctx)
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

// These are the failures of a request that did not come from the browser's own page, and of a request after the end of
// the session.
var (
	errInvalidCSRF    = failure.Denied("The request is not from this browser's own payment page: load the page again.")
	errSessionExpired = failure.Forbidden("session_expired").WithCode("PAYMENT_PAGE_EXPIRED").
				Because("The session on the payment page has ended: load the page again.")
)

var errNotOffered = failure.Invalid("payment_type", "is not available on the payment page").
	WithSlug("payment-method-not-allowed")

// admit checks that the browser's own page sent the request (CSRF), and that the session has not expired. Failure:
// Forbidden.
func (v visit) admit(req attemptRequest) error {
	switch {
	case !v.session.isValidCSRF(v.checkout, req.CSRF):
		return errInvalidCSRF
	case v.session.expired:
		return errSessionExpired
	default:
		return nil
	}
}

// check returns the request's faults, as processCheckout does. A payer's browser may not name a saved card or a
// customer: check refuses the card, and ignores the customer (contract §13.3).
func (req *attemptRequest) check(m merchant.Merchant, now time.Time) failure.List {
	faults := validate.Forms(req.ofPage)
	faults = faults.If(req.Token != "", failure.Invalid("token", "is not taken from a payment page"))
	req.Token, req.CustomerID = "", ""
	if req.PaymentType != "" && !isOffered(req.PaymentType) {
		return failure.List{errNotOffered}
	}
	faults = append(faults, req.Check(m, now)...)
	req.Mandate = nil // start sets it from the request itself
	return faults
}

// start begins the attempt. If the request repeats an earlier request, start continues the attempt that the earlier
// request began.
func (v visit) start(ctx context.Context, req attemptRequest,
	m merchant.Merchant) (payments.Checkout, *processing.Step, error) {
	request := req.Request(v.checkout.ID, v.session.operation(v.checkout.ID, req.Key, req.paidWith()), m)
	request.PayerPresent, request.AskedBy, request.PageSession = true, v.askedBy(), v.session.browser()
	request.PayerBrowser = &v.browser
	// With SETUP_RECURRING_PAYMENT, the page tells the payer that it saves the card for later payments.
	request.Consent = &payments.Consent{UserAgent: v.browser.UserAgent, IP: v.browser.IP}
	request.ReturnURL, request.Amount = v.returnURL(), &v.checkout.Amount
	return v.processing.Start(ctx, v.tenant, request)
}

// paidWith returns the part of the request that an attempt records: the method, the instalments, and the card without
// CVV.
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

// returnURL returns the address to which a method's page sends the payer back: this page's address, or "" for the
// merchant's redirect_url. If this page is in a merchant's frame, the method's page opens in the whole window, without
// the frame's cookie. So the payer then returns to the merchant, if the checkout has a redirect_url.
func (v visit) returnURL() string {
	if v.embedded && v.checkout.RedirectURL != "" {
		return ""
	}
	return v.views.ReturnToPage(v.checkout.ID)
}

// refuse returns the page that answers a form if the form began no attempt. If the page does not show the error,
// package rest answers it.
func (v visit) refuse(ctx context.Context, req attemptRequest, err error) (any, error) {
	e := failure.Of(err)
	if v.session.cookie == nil || e == errSessionExpired {
		shown := v.view(stateSessionExpired)
		if v.session.cookie == nil {
			shown.Links.Restart = shown.Links.Page
		}
		return v.drawWithStatus(http.StatusForbidden, shown)
	}
	if payable, _ := v.checkPayable(); !payable || e.Kind == failure.KindConflict {
		return v.redirect("from=" + string(fromForm)), nil
	}
	why, known := refusals[e.Kind]
	if !known {
		return nil, err
	}
	m, merchantErr := v.readMerchant(ctx)
	if merchantErr != nil {
		return nil, merchantErr
	}
	var faults failure.List
	if !errors.As(err, &faults) {
		faults = failure.List{e}
	}
	shown := v.viewForm(m, entered{method: req.PaymentType, values: req.values(), faults: faults})
	shown.Alert, shown.RetryAfter = why.alert, e.RetryAfter
	return v.drawWithStatus(why.status, shown)
}

// refusals maps a failure to the page's alert and status.
var refusals = map[failure.Kind]struct {
	alert  alert
	status int
}{
	failure.KindInvalid:   {alertFields, http.StatusBadRequest},
	failure.KindForbidden: {alertAgain, http.StatusForbidden},
	failure.KindUpstream:  {alertUnavailable, http.StatusFailedDependency},
	failure.KindTooMany:   {alertTooMany, http.StatusTooManyRequests},
}

// drawWithStatus returns the page with the HTTP status.
func (v visit) drawWithStatus(status int, shown view) (any, error) {
	d, err := v.draw(shown)
	d.Status, d.RetryAfter = status, shown.RetryAfter
	return d, err
}

// attemptForm is processCheckout's body as a form. A field is named by its JSON path. Empty fields count as absent.
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

// isCardData returns true if the field belongs to a card. The page never shows the value of such a field again.
func isCardData(field string) bool { return strings.HasPrefix(field, "card.") }

// payment returns the form's payment. It also returns the faults that only a form can have, because its fields are
// texts.
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

// card accepts a card as people write it: the number may be in groups, and the month may lack its leading zero.
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
		FirstName: optionalText(f.FormFirstName), LastName: optionalText(f.FormLastName), Email: optionalText(f.FormEmail),
		TaxID: optionalText(f.FormTaxID),
		Address: &payments.AddressChange{Country: optionalText(f.FormCountry), Line1: optionalText(f.FormLine1),
			Line2: optionalText(f.FormLine2), City: optionalText(f.FormCity), PostalCode: optionalText(f.FormPostalCode),
			State: optionalText(f.FormState)},
	}
}

// optionalText returns the text as entered. It returns an empty field as absent, so that the checkout's value stays.
func optionalText(text string) optional.Of[string] {
	if text = strings.TrimSpace(text); text == "" {
		return optional.Of[string]{}
	}
	return optional.Some(text)
}

// values returns the entered values for showing the form again. Card data is left out.
func (f attemptForm) values() map[string]string {
	return map[string]string{
		fieldInstallments: f.FormInstallments, fieldFirstName: f.FormFirstName, fieldLastName: f.FormLastName,
		fieldEmail: f.FormEmail, fieldTaxID: f.FormTaxID, fieldCountry: f.FormCountry, fieldLine1: f.FormLine1,
		fieldCity: f.FormCity, fieldPostalCode: f.FormPostalCode, fieldState: f.FormState,
	}
}
