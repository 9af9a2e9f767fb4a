// Package payments defines checkouts, transactions, refunds and callbacks, with the rules for what may happen to them.
// A rule takes the current state and returns the next one for the caller to store; rules do no I/O and know no HTTP.
package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// CheckoutStatus is the state of a checkout (contract §4.5).
type CheckoutStatus string

// The statuses. PAID and EXPIRED are final.
const (
	CheckoutPending CheckoutStatus = "PENDING"
	CheckoutPaid    CheckoutStatus = "PAID"
	CheckoutExpired CheckoutStatus = "EXPIRED"
	CheckoutFailed  CheckoutStatus = "FAILED" // the latest attempt failed; another may be made
)

// Purpose tells an ordinary payment from a setup of recurring payments.
type Purpose string

// The purposes (contract §4.1).
const (
	PurposeCheckout       Purpose = "CHECKOUT"
	PurposeSetupRecurring Purpose = "SETUP_RECURRING_PAYMENT"
)

// Mandate is the payer's consent to later payments in the payer's absence. Type is always "recurrent" (contract §2.7).
type Mandate struct {
	Type         string `json:"type" dynamo:"type"`
	Status       string `json:"status" dynamo:"status"`
	MerchantCode string `json:"merchant_code" dynamo:"merchant_code"`
}

// The statuses of a mandate (contract §2.7).
const (
	MandateActive   = "active"
	MandateInactive = "inactive"
)

// Payee is the merchant as it was when the checkout was created.
type Payee struct {
	Code    string `dynamo:"-"` // from the item's key
	Name    string `dynamo:"name"`
	Email   string `dynamo:"email"`
	Country string `dynamo:"country"`
	Sandbox bool   `dynamo:"sandbox"`

	FeeRate    string              `dynamo:"fee_rate,omitempty"`    // fraction of the amount, as in merchant.Merchant
	PayoutPlan merchant.PayoutPlan `dynamo:"payout_plan,omitempty"` // none: SINGLE_PAYMENT
	Gross      bool                `dynamo:"gross,omitempty"`       // gross settlement

	TaxEnabled   bool `dynamo:"tax_enabled,omitempty"`   // as of the latest attempt's start
	AdvancedMode bool `dynamo:"advanced_mode,omitempty"` // of the user whose payment it is (contract §6.3)
}

// NewPayee returns the merchant as the payee of a checkout that the principal creates now.
func NewPayee(m merchant.Merchant, by identity.Principal) Payee {
	settings, advanced := m.Settings.Of(by.Tenant.Mode), by.Advanced
	if member.ActsAsOwner(by) {
		advanced = m.AdvancedMode
	}
	return Payee{Code: m.Code, Name: m.Name, Email: m.Email, Country: m.Country, Sandbox: m.Sandbox, FeeRate: m.FeeRate,
		PayoutPlan: m.PayoutPlan, Gross: settings.Gross, TaxEnabled: settings.TaxEnabled, AdvancedMode: advanced}
}

// fee returns the platform's fee for a payment, at the rate agreed when the checkout was created (contract §6.7).
func (p Payee) fee(amount money.Amount) money.Amount {
	if p.FeeRate == "" {
		return money.Zero(amount.Currency())
	}
	fee, err := amount.Times(p.FeeRate)
	if err != nil { // functions/provision refuses an invalid rate
		panic(err)
	}
	return fee
}

// Creator is the merchant's member who created a checkout; zero if a key or an OAuth client did.
type Creator struct {
	ID    string `dynamo:"id"` // of the member
	Email string `dynamo:"email"`
}

// Checkout is one payment that a merchant asks for, with all its attempts.
type Checkout struct {
	ID             string           `dynamo:"-"` // from the item's key
	Reference      string           `dynamo:"reference"`
	Amount         money.Amount     `dynamo:"amount"`
	Payee          Payee            `dynamo:"payee"`
	NamedByEmail   string           `dynamo:"pay_to_email,omitempty"` // pay_to_email, if the client sent it
	Description    string           `dynamo:"description,omitempty"`
	ReturnURL      string           `dynamo:"return_url,omitempty"`   // gets a callback for each outcome
	RedirectURL    string           `dynamo:"redirect_url,omitempty"` // where the payer's browser ends
	Status         CheckoutStatus   `dynamo:"status"`
	Purpose        Purpose          `dynamo:"purpose"`
	PaymentType    Method           `dynamo:"payment_type,omitempty"`
	CustomerID     string           `dynamo:"customer_id,omitempty"`
	Payer          *PersonalDetails `dynamo:"payer,omitempty"`
	HostedCheckout *bool            `dynamo:"hosted_checkout,omitempty"`
	Reader         *ReaderSale      `dynamo:"reader,omitempty"`     // for a checkout at a card reader; nil: online
	CreatedBy      string           `dynamo:"created_by,omitempty"` // id of the credential
	Creator        Creator          `dynamo:"creator,omitempty"`    // the person who created it, if any
	CreatedAt      time.Time        `dynamo:"created_at"`
	Shard          int              `dynamo:"shard,omitempty"`       // of the merchant; transactions and events inherit it
	ValidUntil     *time.Time       `dynamo:"valid_until,omitempty"` // nil: never expires

	Mandate         *Mandate              `dynamo:"mandate,omitempty"`
	InstrumentToken string                `dynamo:"instrument_token,omitempty"` // of the saved card
	Transactions    []CheckoutTransaction `dynamo:"transactions,omitempty"`     // oldest first, at most maxTransactions
	Attempt         *Attempt              `dynamo:"attempt,omitempty"`          // the latest
	AttemptStarts   []AttemptStart        `dynamo:"attempt_starts,omitempty"`   // within the last hour
	Version         int                   `dynamo:"version"`                    // of the stored item, from 1
}

var (
	errPaid = failure.Conflict("The checkout is already paid.").
		WithCode("CHECKOUT_PROCESSED").WithSlug("session-already-processed")

	errExpired = failure.Conflict("The checkout has expired.").
			WithCode("CHECKOUT_SESSION_IS_EXPIRED").WithSlug("session-expired")

	errRunning = failure.Conflict("A payment attempt is running.").AsTransient()

	errOpenAttempt = failure.Conflict("A payment attempt is open.").AsTransient()
)

// maxTransactions bounds the transactions in a checkout, and so its item's size. Each is also stored separately.
const maxTransactions = 100

// MadeBy returns the new checkout with its id, its creator, and the merchant's shard for that id.
func (c Checkout) MadeBy(by identity.Principal, m merchant.Merchant, id string) Checkout {
	c.ID, c.Shard, c.CreatedBy = id, m.ShardOf(id), by.Actor.ID
	if by.IsPerson() {
		c.Creator = Creator{ID: by.Actor.ID, Email: by.Email}
	}
	return c
}

// Restored returns the checkout as it was before it was stored. It adds the facts that are in the key, and the facts
// that follow from ids.
func (c Checkout) Restored(id, merchantCode string) Checkout {
	c.ID, c.Payee.Code = id, merchantCode
	for i := range c.Transactions {
		t := &c.Transactions[i]
		t.MerchantCode, t.Code = merchantCode, CodeOfID(t.ID)
	}
	return c
}

// Hosted returns true if the checkout has a payment page (contract §13.3).
func (c Checkout) Hosted() bool { return c.HostedCheckout != nil && *c.HostedCheckout }

// isOpen returns true if another attempt can pay the checkout. A checkout at a reader has only one attempt, and does
// not expire.
func (c Checkout) isOpen() bool {
	return c.Reader == nil && (c.Status == CheckoutPending || c.Status == CheckoutFailed)
}

// attemptPending returns true if a charge without a known outcome is under way.
func (c Checkout) attemptPending() bool {
	return c.Attempt != nil && c.Attempt.State == AttemptPending
}

// RequiresAction returns true if a challenge, a redirect or a voucher waits for the payer.
func (c Checkout) RequiresAction() bool {
	return c.Attempt != nil && c.Attempt.State == AttemptRequiresAction
}

// PastValidUntil returns true if valid_until has passed, so that no new attempt may begin.
func (c Checkout) PastValidUntil(now time.Time) bool {
	return c.isOpen() && c.ValidUntil != nil && !now.Before(*c.ValidUntil)
}

// isExpired returns true if valid_until has passed and no open attempt may still pay the checkout (contract §4.5).
func (c Checkout) isExpired(now time.Time) bool {
	return c.PastValidUntil(now) && !c.attemptPending() && !c.RequiresAction()
}

// StatusAt returns the status at now. A checkout is expired even before the sweep has recorded it (contract §4.5).
func (c Checkout) StatusAt(now time.Time) CheckoutStatus {
	if c.isExpired(now) {
		return CheckoutExpired
	}
	return c.Status
}

// SuccessfulTransaction returns the successful transaction, if there is one.
func (c Checkout) SuccessfulTransaction() (CheckoutTransaction, bool) {
	for _, t := range c.Transactions {
		if t.Status == TransactionSuccessful {
			return t, true
		}
	}
	return CheckoutTransaction{}, false
}

// DueAt returns the time for the sweep to handle the checkout; the zero time means never.
func (c Checkout) DueAt() time.Time {
	switch {
	case c.AttemptOpen():
		return sweepAt(c.Attempt.NextPoll, c.Attempt.UnknownSince)
	case c.isOpen() && c.ValidUntil != nil:
		return *c.ValidUntil
	default:
		return time.Time{}
	}
}

// PollAt returns the time for a message to start a poll of the open attempt; the zero time means never.
func (c Checkout) PollAt() time.Time {
	if !c.AttemptOpen() {
		return time.Time{}
	}
	return pollAt(c.Attempt.NextPoll, c.Attempt.UnknownSince)
}

// AttemptOpen returns true if the latest attempt is not closed.
func (c Checkout) AttemptOpen() bool { return c.Attempt != nil && c.Attempt.State != AttemptClosed }

// CheckProcessable refuses a new attempt when the checkout is paid or expired, an attempt is pending, or a limit of the
// source is reached. It accepts one after an attempt that requires action, which can be cancelled (contract §4.5).
func (c Checkout) CheckProcessable(by Source, now time.Time) error {
	if err := c.checkOpen(now); err != nil {
		return err
	}
	if c.PastValidUntil(now) {
		return errExpired
	}
	if c.attemptPending() {
		return errRunning
	}
	_, err := c.attemptsSince(now.Add(-time.Hour), by)
	return err
}

// CheckUpdatable refuses a change of a paid or expired checkout, or during an open attempt (contract §13.1).
func (c Checkout) CheckUpdatable(now time.Time) error {
	if err := c.checkOpen(now); err != nil {
		return err
	}
	if c.attemptPending() || c.RequiresAction() {
		return errOpenAttempt
	}
	return nil
}

// checkOpen refuses a paid or expired checkout.
func (c Checkout) checkOpen(now time.Time) error {
	switch c.StatusAt(now) {
	case CheckoutPaid:
		return errPaid
	case CheckoutExpired:
		return errExpired
	default:
		return nil
	}
}
