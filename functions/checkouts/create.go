package checkouts

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// createRequest is the body of createCheckout (contract §4.1). Fields that the service
// assigns (id, status, date, transactions) are ignored.
type createRequest struct {
	Reference    string                    `json:"checkout_reference"`
	Amount       money.Literal             `json:"amount"`
	Currency     string                    `json:"currency"`
	MerchantCode string                    `json:"merchant_code"`
	PayToEmail   string                    `json:"pay_to_email"`
	Description  string                    `json:"description"`
	ReturnURL    string                    `json:"return_url" empty:"refused"`
	RedirectURL  string                    `json:"redirect_url" empty:"refused"`
	CustomerID   string                    `json:"customer_id"`
	Purpose      payments.Purpose          `json:"purpose" empty:"refused"`
	PaymentType  payments.Method           `json:"payment_type" empty:"refused"`
	Payer        *payments.PersonalDetails `json:"personal_details"`
	ValidUntil   string                    `json:"valid_until" empty:"refused"`
	Hosted       *hostedRequest            `json:"hosted_checkout"`
}

type hostedRequest struct {
	Enabled *bool `json:"enabled"`
}

// Limits of free text (contract §4.1).
const (
	maxReference   = 90
	maxDescription = 1000
	maxURL         = 2048
)

// create is createCheckout. The checkout's id is the operation's, so that a repeated
// request under one Idempotency-Key finds what it made before.
func (f family) create(ctx context.Context, req createRequest) (checkout, error) {
	caller := rest.Caller(ctx)
	c, err := f.draft(rest.Merchant(ctx), req)
	if err != nil {
		return checkout{}, err
	}
	if err := f.checkCustomer(ctx, caller.Tenant, c.CustomerID); err != nil {
		return checkout{}, err
	}
	c.ID, c.CreatedBy = rest.OperationID(ctx), caller.Actor.ID
	stored, err := f.store.CreateCheckout(ctx, caller.Tenant, c)
	if err != nil {
		return checkout{}, err
	}
	return f.view(stored), nil
}

// draft is the checkout the request describes, or the first thing wrong with it.
func (f family) draft(m merchant.Merchant, req createRequest) (payments.Checkout, error) {
	if err := req.checkPresence(); err != nil {
		return payments.Checkout{}, err
	}
	if err := req.checkPayee(m); err != nil {
		return payments.Checkout{}, err
	}
	now := f.store.Now()
	c := payments.Checkout{
		Reference: req.Reference, NamedByEmail: req.PayToEmail, Description: req.Description,
		ReturnURL: req.ReturnURL, RedirectURL: req.RedirectURL, Status: payments.Pending,
		Purpose: req.Purpose, PaymentType: req.PaymentType, CustomerID: req.CustomerID, Payer: req.Payer,
		CreatedAt: now,
		Payee: payments.Payee{Code: m.Code, Name: m.Name, Email: m.Email, Country: m.Country, Sandbox: m.Sandbox,
			FeeRate: m.FeeRate, PayoutPlan: payments.PayoutPlan(m.PayoutPlan), Gross: m.Gross},
	}
	if c.Purpose == "" {
		c.Purpose = payments.PurposeCheckout
	}
	if req.Hosted != nil {
		c.HostedCheckout = req.Hosted.Enabled
	}
	var err error
	if c.Amount, err = amountOf(req.Amount, req.Currency, m, c.Purpose); err != nil {
		return c, err
	}
	if c.ValidUntil, err = validUntil(req.ValidUntil, now); err != nil {
		return c, err
	}
	return c, f.checkDraft(c, req)
}

// checkPresence reports the first required field that is absent, in the
// contract's order (§3.3).
func (req createRequest) checkPresence() error {
	switch {
	case req.Reference == "":
		return failure.Missing("checkout_reference")
	case req.Amount == "":
		return failure.Missing("amount")
	case req.Currency == "":
		return failure.Missing("currency")
	case req.MerchantCode == "" && req.PayToEmail == "":
		return failure.Missing("merchant_code")
	case req.Hosted != nil && req.Hosted.Enabled == nil:
		return failure.Missing("hosted_checkout.enabled")
	default:
		return nil
	}
}

// checkPayee makes sure merchant_code and pay_to_email name the caller.
func (req createRequest) checkPayee(m merchant.Merchant) error {
	emailIsOurs := strings.EqualFold(req.PayToEmail, m.Email)
	switch {
	case req.MerchantCode != "" && req.MerchantCode != m.Code:
		return failure.Denied("request_not_allowed")
	case req.MerchantCode == "" && !emailIsOurs:
		return failure.Denied("request_not_allowed")
	case req.PayToEmail != "" && !emailIsOurs:
		return failure.Invalid("pay_to_email", "does not belong to merchant_code")
	case !m.OnlinePayments:
		return failure.Denied("checkout_payments_not_allowed")
	default:
		return nil
	}
}

// checkDraft checks the fields' values.
func (f family) checkDraft(c payments.Checkout, req createRequest) error {
	if err := checkReference(c.Reference); err != nil {
		return err
	}
	if err := checkDescription(c.Description); err != nil {
		return err
	}
	if c.Purpose != payments.PurposeCheckout && c.Purpose != payments.PurposeSetupRecurring {
		return failure.Invalid("purpose", "must be CHECKOUT or SETUP_RECURRING_PAYMENT")
	}
	if c.Purpose == payments.PurposeSetupRecurring && c.CustomerID == "" {
		return failure.Missing("customer_id")
	}
	if c.ReturnURL != "" {
		if _, err := webhook.CheckURL(c.ReturnURL, f.callbacks); err != nil {
			return failure.Invalid("return_url", "must be a public http or https URL").With(err)
		}
	}
	if err := checkRedirectURL(c.RedirectURL); err != nil {
		return err
	}
	if err := f.checkMethod(c); err != nil {
		return err
	}
	if faults := req.Payer.Check(c.CreatedAt); len(faults) > 0 {
		return faults[0]
	}
	return nil
}

// checkMethod checks payment_type: an alternative method must be offered and
// needs somewhere to send the payer (contract §4.1).
func (f family) checkMethod(c payments.Checkout) error {
	if c.PaymentType == "" || c.PaymentType == payments.CardMethod {
		return nil
	}
	if fault := payments.CheckMethod(c.PaymentType, c.Amount.Currency(), f.methods); fault != nil {
		return fault
	}
	if c.RedirectURL == "" {
		return failure.Missing("redirect_url")
	}
	return nil
}

// checkCustomer refuses a customer who does not exist (contract §4.1).
func (f family) checkCustomer(ctx context.Context, t identity.Tenant, id string) error {
	if id == "" {
		return nil
	}
	_, err := f.store.Customer(ctx, t, id)
	if failure.Is(err, failure.NotFound) {
		return failure.Invalid("customer_id", "unknown customer")
	}
	return err
}

// amountOf reads the amount in the merchant's currency (contract §4.1).
func amountOf(literal money.Literal, code string, m merchant.Merchant, purpose payments.Purpose) (money.Amount, error) {
	currency, err := money.ParseCurrency(code)
	if err != nil || currency != m.Currency {
		return money.Amount{}, failure.Invalid("currency", "must be the merchant's currency")
	}
	amount, err := literal.In(currency)
	if err != nil {
		return amount, failure.Invalid("amount", money.Expected(err)).With(err)
	}
	zeroAllowed := purpose == payments.PurposeSetupRecurring
	if amount.Sign() < 0 || (amount.IsZero() && !zeroAllowed) {
		return amount, failure.Invalid("amount", "must be above 0")
	}
	if amount.TooLarge() {
		return amount, failure.Invalid("amount", "must be at most 999999999.99")
	}
	return amount, nil
}

func validUntil(text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, failure.Invalid("valid_until", "must be an ISO 8601 date-time with an offset")
	}
	if at = at.UTC(); !at.After(now) {
		return nil, failure.Invalid("valid_until", "must be in the future")
	}
	return &at, nil
}

func checkReference(reference string) error {
	if reference == "" {
		return failure.Invalid("checkout_reference", "must have 1 to 90 characters")
	}
	return failure.Text("checkout_reference", reference, maxReference).Err()
}

func checkDescription(text string) error {
	return failure.Text("description", text, maxDescription).Err()
}

// checkRedirectURL: the payer's browser goes there, so any absolute http(s)
// URL will do, but no script or credential may hide in it.
func checkRedirectURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || len(text) > maxURL || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return failure.Invalid("redirect_url", "must be an absolute http or https URL")
	}
	return nil
}
