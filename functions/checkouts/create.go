package checkouts

import (
	"context"
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

// createRequest is the body of createCheckout (contract §4.1). Fields that the service
// assigns (id, status, date, transactions) are ignored.
type createRequest struct {
	Reference    string                          `json:"checkout_reference" validate:"required text=90"`
	Amount       money.Literal                   `json:"amount" validate:"required"`
	Currency     string                          `json:"currency" validate:"required currency"`
	MerchantCode string                          `json:"merchant_code"`
	PayToEmail   string                          `json:"pay_to_email"`
	Description  string                          `json:"description" validate:"lines=1000"`
	Purpose      payments.Purpose                `json:"purpose" empty:"refused" validate:"one-of=CHECKOUT|SETUP_RECURRING_PAYMENT"` //nolint:lll // a tag cannot be broken
	CustomerID   string                          `json:"customer_id"`
	ReturnURL    string                          `json:"return_url" empty:"refused" validate:"http-url"`
	RedirectURL  string                          `json:"redirect_url" empty:"refused" validate:"http-url"`
	PaymentType  payments.Method                 `json:"payment_type" empty:"refused"`
	Payer        *payments.PersonalDetailsChange `json:"personal_details"`
	ValidUntil   string                          `json:"valid_until" empty:"refused" validate:"date-time"`
	Hosted       *hostedRequest                  `json:"hosted_checkout"`
}

// checkoutsOfToken limits the checkouts that one merchant token creates, so that the limits of attempts at one checkout
// still stop tests of cards (contract §2.9).
var checkoutsOfToken = store.Bucket{Every: 45 * time.Second, Burst: 20}

type hostedRequest struct {
	Enabled *bool `json:"enabled" validate:"required"`
}

// create is createCheckout. The checkout's id is the operation's, so that a repeated
// request under one Idempotency-Key finds what it made before.
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
	c.ID, c.CreatedBy = rest.OperationID(ctx), caller.Actor.ID
	if caller.IsPerson() {
		c.Creator = payments.Creator{ID: caller.Actor.ID, Email: caller.Email}
	}
	c.Shard = rest.Merchant(ctx).ShardOf(c.ID)
	stored, err := f.store.CreateCheckout(ctx, caller.Tenant, c)
	if err != nil {
		return checkout.View{}, err
	}
	return f.views.For(caller, stored), nil
}

// draft is the checkout the request describes, or the first thing wrong with
// it: what is missing, then who is paid, then values.
func (f family) draft(m merchant.Merchant, by identity.Principal, req createRequest) (payments.Checkout, error) {
	if err := req.checkPresence(); err != nil {
		return payments.Checkout{}, err
	}
	if err := req.checkPayee(m, by); err != nil {
		return payments.Checkout{}, err
	}
	now := f.store.Now()
	c := payments.Checkout{
		Reference: req.Reference, NamedByEmail: req.PayToEmail, Description: req.Description,
		ReturnURL: req.ReturnURL, RedirectURL: req.RedirectURL, Status: payments.CheckoutPending,
		Purpose: req.Purpose, PaymentType: req.PaymentType, CustomerID: req.CustomerID,
		CreatedAt: now, Payee: payments.NewPayee(m, by),
	}
	if c.Purpose == "" {
		c.Purpose = payments.PurposeCheckout
	}
	if req.Payer != nil {
		payer := req.Payer.Apply(payments.PersonalDetails{})
		c.Payer = &payer
	}
	if req.Hosted != nil {
		c.HostedCheckout = req.Hosted.Enabled
	}
	faults := validate.Fields(req, now)
	if fault := setAmount(&c, req.Amount, req.Currency, m); fault != nil {
		faults = append(faults, fault)
	}
	if fault := setValidUntil(&c, req.ValidUntil, now); fault != nil {
		faults = append(faults, fault)
	}
	faults = append(faults, f.checkDraft(c, m)...)
	if by.Actor.Kind.InBrowser() {
		faults = append(faults, req.checkInBrowser()...)
	}
	return c, validate.Order(req, faults, "currency", "amount", "valid_until").First()
}

// checkPresence reports the first required field that is absent, in the
// contract's order (§3.3).
func (req createRequest) checkPresence() error {
	faults := validate.Missing(req)
	if req.MerchantCode == "" && req.PayToEmail == "" {
		faults = append(faults, failure.Missing("merchant_code"))
	}
	return validate.Order(req, faults).First()
}

// notInBrowser is why a field is refused that only the merchant's server may set (contract §8.5).
const notInBrowser = "is not allowed with a merchant token"

// checkInBrowser lists the fields that only the merchant's server may set, but for those of checkPayee.
func (req createRequest) checkInBrowser() failure.List {
	var faults failure.List
	for field, sent := range map[string]bool{"purpose": req.Purpose == payments.PurposeSetupRecurring,
		"customer_id": req.CustomerID != "", "return_url": req.ReturnURL != "",
		"hosted_checkout": req.Hosted != nil && req.Hosted.Enabled != nil && *req.Hosted.Enabled} {
		if sent {
			faults = append(faults, failure.Invalid(field, notInBrowser))
		}
	}
	return faults
}

// errNoOnlinePayments is the failure of a merchant that the operator has not allowed to take payments online.
var errNoOnlinePayments = failure.Forbidden("checkout_payments_not_allowed").
	Because("The merchant may not take payments online.")

// checkPayee makes sure that merchant_code and pay_to_email name the caller. It does not tell a payer's browser whether
// an email is the merchant's.
func (req createRequest) checkPayee(m merchant.Merchant, by identity.Principal) error {
	emailIsOurs := strings.EqualFold(req.PayToEmail, m.Email)
	switch {
	case req.MerchantCode != "" && req.MerchantCode != m.Code:
		return failure.Denied("merchant_code is not that of the credential.")
	case req.PayToEmail != "" && by.Actor.Kind.InBrowser():
		return failure.Invalid("pay_to_email", notInBrowser)
	case req.MerchantCode == "" && !emailIsOurs:
		return failure.Denied("pay_to_email is not that of the credential's merchant.")
	case req.PayToEmail != "" && !emailIsOurs:
		return failure.Invalid("pay_to_email", "does not belong to merchant_code")
	case !m.OnlinePayments:
		return errNoOnlinePayments
	default:
		return nil
	}
}

// checkDraft lists what is wrong with the fields that depend on each other, or
// on what the merchant offers.
func (f family) checkDraft(c payments.Checkout, m merchant.Merchant) failure.List {
	var faults failure.List
	if c.Purpose == payments.PurposeSetupRecurring && c.CustomerID == "" {
		faults = append(faults, failure.Missing("customer_id"))
	}
	if c.ReturnURL != "" {
		if _, err := webhook.CheckURL(c.ReturnURL, f.callbacks); err != nil {
			faults = append(faults, failure.Invalid("return_url", err.Error()))
		}
	}
	if fault := checkMethod(c, m); fault != nil {
		faults = append(faults, fault)
	}
	return faults
}

// checkMethod checks payment_type: an alternative method must be offered and
// needs somewhere to send the payer (contract §4.1).
func checkMethod(c payments.Checkout, m merchant.Merchant) *failure.Error {
	if c.PaymentType == "" || c.PaymentType == payments.CardMethod {
		return nil
	}
	if fault := payments.CheckMethod(c.PaymentType, m); fault != nil {
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
	if failure.Is(err, failure.KindNotFound) {
		return failure.Invalid("customer_id", "is not the id of a customer")
	}
	return err
}

// setAmount reads the amount in the merchant's currency (contract §4.1).
func setAmount(c *payments.Checkout, literal money.Literal, code string, m merchant.Merchant) *failure.Error {
	currency, err := money.ParseCurrency(code)
	if err != nil || currency != m.Currency {
		return failure.Invalid("currency", "must be the merchant's currency")
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

// setValidUntil reads a date-time; "" removes the end.
func setValidUntil(c *payments.Checkout, text string, now time.Time) *failure.Error {
	c.ValidUntil = nil
	at, ok := validate.Time(text)
	if !ok {
		return nil // there is none, or the rules of the field refuse it
	}
	if !at.After(now) {
		return failure.Invalid("valid_until", "must be in the future")
	}
	c.ValidUntil = &at
	return nil
}
