package checkouts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// createRequest is the body of createCheckout (contract §4.1). Fields that the service assigns are ignored.
type createRequest struct {
	Reference    string                          `json:"checkout_reference" validate:"required text=90"`
	Amount       money.Literal                   `json:"amount" validate:"required"`
	Currency     string                          `json:"currency" validate:"required currency"`
	MerchantCode string                          `json:"merchant_code"`
	PayToEmail   string                          `json:"pay_to_email"`
	Description  string                          `json:"description" validate:"lines=1000"`
	Purpose      payments.Purpose                `json:"purpose" empty:"refused" validate:"one-of=CHECKOUT|SETUP_RECURRING_PAYMENT"` //nolint:lll // a struct tag must be one line
	CustomerID   string                          `json:"customer_id"`
	ReturnURL    string                          `json:"return_url" empty:"refused" validate:"http-url"`
	RedirectURL  string                          `json:"redirect_url" empty:"refused" validate:"http-url"`
	PaymentType  payments.Method                 `json:"payment_type" empty:"refused"`
	Payer        *payments.PersonalDetailsChange `json:"personal_details"`
	ValidUntil   string                          `json:"valid_until" empty:"refused" validate:"date-time"`
	Hosted       *hostedRequest                  `json:"hosted_checkout"`
}

// checkoutsOfToken limits the number of checkouts that one merchant token creates. Attempts are limited per checkout,
// to stop tests of stolen cards (contract §2.9). Unlimited new checkouts would evade those limits.
var checkoutsOfToken = store.Bucket{Every: 45 * time.Second, Burst: 20}

type hostedRequest struct {
	Enabled *bool `json:"enabled" validate:"required"`
}

// create handles createCheckout. The checkout's id is rest.OperationID, which is the same for each retry with the same
// Idempotency-Key. So a retry finds the checkout.
func (f family) create(ctx context.Context, req createRequest) (checkout.View, error) {
	caller := rest.Caller(ctx)
	c, err := f.draft(rest.Merchant(ctx), caller, req)
	if err != nil {
		return checkout.View{}, err
	}
	if caller.Actor.Kind.InBrowser() {
		err = f.store.TakeToken(ctx, "checkouts of "+caller.Tenant.String()+" "+caller.Actor.ID, checkoutsOfToken)
	}
	if err != nil {
		return checkout.View{}, err
	}
	if err = f.checkCustomer(ctx, caller.Tenant, c.CustomerID); err != nil {
		return checkout.View{}, err
	}
	c = c.MadeBy(caller, rest.Merchant(ctx), rest.OperationID(ctx))
	stored, err := f.store.CreateCheckout(ctx, caller.Tenant, c)
	return f.views.For(caller, stored), err
}

// draft returns the checkout that the request describes, or the first fault of the request.
func (f family) draft(m merchant.Merchant, by identity.Principal, req createRequest) (payments.Checkout, error) {
	now := f.store.Now()
	c := payments.Checkout{
		Reference: req.Reference, NamedByEmail: req.PayToEmail, Description: req.Description,
		ReturnURL: req.ReturnURL, RedirectURL: req.RedirectURL, Status: payments.CheckoutPending,
		Purpose: cmp.Or(req.Purpose, payments.PurposeCheckout), PaymentType: req.PaymentType, CustomerID: req.CustomerID,
		CreatedAt: now, Payee: payments.NewPayee(m, by),
	}
	if req.Payer != nil {
		payer := req.Payer.Apply(payments.PersonalDetails{})
		c.Payer = &payer
	}
	if req.Hosted != nil {
		c.HostedCheckout = req.Hosted.Enabled
	}
	amount := setAmount(&c, req.Amount, req.Currency, m)
	until := setValidUntil(&c, req.ValidUntil, now)
	fields := validate.Fields(req, now).With(amount).With(until)
	return c, f.check(req, c, m, by, fields).First()
}

// notInBrowser is the reason for refusing a field that only the merchant's server may set (contract §8.5).
const notInBrowser = "is not allowed with a merchant token"

// errNoOnlinePayments refuses a merchant who may not take online payments. The operator grants that right.
var errNoOnlinePayments = failure.Forbidden("checkout_payments_not_allowed").
	Because("The merchant may not take payments online.")

// check returns the faults of a request in the contract's order (§3.3, §4.1): missing fields, the payee, then the value
// of each field. The parameter fields holds the faults of single values. A merchant token may not send pay_to_email, so
// that a payer's browser cannot find out whether an email address is the merchant's.
func (f family) check(req createRequest, c payments.Checkout, m merchant.Merchant, by identity.Principal,
	fields failure.List) failure.List {
	inBrowser, emailIsOurs := by.Actor.Kind.InBrowser(), strings.EqualFold(req.PayToEmail, m.Email)
	setup := c.Purpose == payments.PurposeSetupRecurring
	alternative := c.PaymentType != "" && c.PaymentType != payments.CardMethod
	var unavailable *failure.Error
	if alternative {
		unavailable = payments.CheckMethod(c.PaymentType, m)
	}
	missing := validate.Missing(req).
		If(req.MerchantCode == "" && req.PayToEmail == "", failure.Missing("merchant_code"))
	payee := failure.List{}.
		If(req.MerchantCode != "" && req.MerchantCode != m.Code,
			failure.Denied("merchant_code is not that of the credential.")).
		If(req.PayToEmail != "" && inBrowser, failure.Invalid("pay_to_email", notInBrowser)).
		If(req.MerchantCode == "" && !emailIsOurs,
			failure.Denied("pay_to_email is not that of the credential's merchant.")).
		If(req.PayToEmail != "" && !emailIsOurs, failure.Invalid("pay_to_email", "does not belong to merchant_code")).
		If(!m.OnlinePayments, errNoOnlinePayments)
	values := fields.
		If(setup && c.CustomerID == "", failure.Missing("customer_id")).
		With(f.checkReturnURL(c.ReturnURL)).
		With(unavailable).
		If(alternative && unavailable == nil && c.RedirectURL == "", failure.Missing("redirect_url")).
		If(inBrowser && setup, failure.Invalid("purpose", notInBrowser)).
		If(inBrowser && c.CustomerID != "", failure.Invalid("customer_id", notInBrowser)).
		If(inBrowser && c.ReturnURL != "", failure.Invalid("return_url", notInBrowser)).
		If(inBrowser && c.Hosted(), failure.Invalid("hosted_checkout", notInBrowser))
	return slices.Concat(validate.Order(req, missing), payee,
		validate.Order(req, values, "currency", "amount", "valid_until"))
}

// checkReturnURL refuses addresses that callbacks must not reach (contract §11.3).
func (f family) checkReturnURL(text string) *failure.Error {
	if text == "" {
		return nil
	}
	if _, err := webhook.CheckURL(text, f.callbacks); err != nil {
		return failure.Invalid("return_url", err.Error())
	}
	return nil
}

// checkCustomer refuses a customer who does not exist (contract §4.1).
func (f family) checkCustomer(ctx context.Context, t identity.Tenant, id string) error {
	if id == "" {
		return nil
	}
	_, err := f.store.Customer(ctx, t, id)
	if failure.Is(err, failure.KindNotFound) {
		return failure.Invalid("customer_id", "must be the id of one of the merchant's customers")
	}
	return err
}

// setAmount parses the amount, which must be in the merchant's currency, and sets it (contract §4.1).
func setAmount(c *payments.Checkout, literal money.Literal, code string, m merchant.Merchant) *failure.Error {
	currency, err := money.ParseCurrency(code)
	if err != nil || currency != m.Currency {
		return failure.Invalid("currency", "must be "+string(m.Currency)+", the merchant's currency")
	}
	amount, err := literal.In(currency)
	if err != nil {
		return failure.Invalid("amount", money.Expected(err)).WithCause(err)
	}
	zeroAllowed := c.Purpose == payments.PurposeSetupRecurring
	if amount.Sign() < 0 || (amount.IsZero() && !zeroAllowed) {
		return failure.Invalid("amount", "must be above 0")
	}
	if amount.TooLarge() {
		return failure.Invalid("amount", "must be at most 999999999.99")
	}
	c.Amount = amount
	return nil
}

// setValidUntil parses a date-time and sets it. "" removes the expiry.
func setValidUntil(c *payments.Checkout, text string, now time.Time) *failure.Error {
	c.ValidUntil = nil
	at, ok := validate.Time(text)
	if !ok {
		return nil // absent, or refused by the field's own rules
	}
	if !at.After(now) {
		return failure.Invalid("valid_until", "must be in the future")
	}
	c.ValidUntil = &at
	return nil
}
