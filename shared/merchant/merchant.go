// Package merchant has the types and pure rules of a merchant: its terms, bank accounts and settings. Make a merchant
// with New, and change it with Terms, SettingsChange and BankAccounts.
package merchant

import (
	"cmp"
	"reflect"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Merchant is a merchant as stored. Each request reads the merchant with its credential, so no field may grow without
// bound.
type Merchant struct {
	Code           string           `dynamo:"code"`
	Name           string           `dynamo:"name"`
	Email          string           `dynamo:"email"`
	Country        string           `dynamo:"country"` // ISO 3166-1 alpha-2
	Currency       money.Currency   `dynamo:"currency"`
	Sandbox        bool             `dynamo:"sandbox"`                   // has only test credentials
	OnlinePayments bool             `dynamo:"online_payments"`           // may take checkout payments
	Onboarding     bool             `dynamo:"onboarding,omitempty"`      // has no merchant profile yet (contract §7.1)
	FeeRate        string           `dynamo:"fee_rate"`                  // "0.0195" is 1.95 % (contract §6.7)
	MinimumBalance string           `dynamo:"minimum_balance,omitempty"` // decimal, in Currency; "": the contract's
	TimeZone       string           `dynamo:"time_zone,omitempty"`       // IANA name; "": UTC
	PayoutPlan     PayoutPlan       `dynamo:"payout_plan,omitempty"`     // contract §6.7; "": SINGLE_PAYMENT
	Settings       ByMode[Settings] `dynamo:"settings"`
	Shards         int              `dynamo:"shards,omitempty"`    // see ShardCount
	GrownAt        time.Time        `dynamo:"grown_at,omitempty"`  // when Grow last changed Shards
	Requests       int              `dynamo:"requests,omitempty"`  // per second in each mode; 0: UsualRequests
	PayPal         bool             `dynamo:"paypal,omitempty"`    // may offer PayPal (contract §4.3)
	LowValue       bool             `dynamo:"low_value,omitempty"` // exempts payments of at most 30 EUR from 3DS
	Callbacks      CallbackSecret   `dynamo:"callbacks"`
	CreatedAt      time.Time        `dynamo:"created_at"`
	UpdatedAt      time.Time        `dynamo:"updated_at,omitempty"` // when an operator last changed the terms
	Version        int              `dynamo:"version"`              // of the stored item, from 1
	Copied

	AcquirerAccount string `dynamo:"acquirer_account,omitempty"` // at the live acquirer; "": the platform's account
}

// Registration has the fields that cannot change after a merchant is created, because its stored data depends on them.
type Registration struct {
	Code     string `json:"merchant_code"`                         // "": New generates a code
	Country  string `json:"country" validate:"required country"`   // ISO 3166-1 alpha-2
	Currency string `json:"currency" validate:"required currency"` // a currency of contract §2.4
	Sandbox  bool   `json:"sandbox"`                               // the merchant has only test credentials
}

// New returns a merchant with the registration and the terms. Failure: Invalid, with the field.
func New(r Registration, terms Terms, now time.Time) (Merchant, error) {
	if err := validate.Forms(r).First(); err != nil {
		return Merchant{}, err
	}
	if r.Code == "" {
		r.Code = identity.NewMerchantCode()
	}
	if !identity.IsMerchantCode(r.Code) {
		return Merchant{}, failure.Invalid("merchant_code", "must be MC and 8 digits or capitals without I, L, O, U")
	}
	return terms.Apply(Merchant{Code: r.Code, Country: r.Country, Currency: money.Currency(r.Currency), Sandbox: r.Sandbox,
		OnlinePayments: true, Settings: ByMode[Settings]{DefaultSettings, DefaultSettings}, CreatedAt: now})
}

// Same returns true if both merchants have the same registration and terms.
func (m Merchant) Same(other Merchant) bool {
	m.CreatedAt, m.Version, m.Settings, m.Callbacks = other.CreatedAt, other.Version, other.Settings, other.Callbacks
	m.Shards, m.GrownAt, m.UpdatedAt, m.Copied = other.Shards, other.GrownAt, other.UpdatedAt, other.Copied
	return reflect.DeepEqual(m, other)
}

// Modes returns the modes that the merchant has.
func (m Merchant) Modes() []identity.Mode {
	if m.Sandbox {
		return []identity.Mode{identity.Test}
	}
	return identity.Modes
}

// FirstMode returns the mode of the merchant's first key. For a sandbox merchant, which has only test credentials, it
// is test mode (contract §2.1).
func (m Merchant) FirstMode() identity.Mode { return m.Modes()[0] }

// CheckProfileForWrite refuses writes for a merchant without a profile. Failure: Conflict (contract §7.1).
func (m Merchant) CheckProfileForWrite() error {
	if m.Onboarding {
		return failure.Conflict("The merchant has no merchant profile yet.").WithCode("merchant_account_missing")
	}
	return nil
}

// CheckProfileForRead refuses to read the profile, or a part of it, of a merchant without a profile. Failure: NotFound.
func (m Merchant) CheckProfileForRead() error {
	if m.Onboarding {
		return failure.NotFound("The merchant has no merchant profile yet.")
	}
	return nil
}

// Mode parses a mode that the merchant can have; "" means FirstMode. Failure: Invalid, field mode.
func (m Merchant) Mode(name string) (identity.Mode, error) {
	if name == "" {
		return m.FirstMode(), nil
	}
	mode, known := identity.ParseMode(name)
	switch {
	case !known:
		return "", failure.Invalid("mode", "must be live or test")
	case mode == identity.Live && m.Sandbox:
		return "", failure.Invalid("mode", "must be test for a sandbox merchant")
	default:
		return mode, nil
	}
}

// standardMinimum is the balance that refunds must leave a live merchant, in its currency (contract §6.4).
const standardMinimum = "-1000"

// MinimumBalanceIn returns the balance that refunds must leave. It returns nil in test mode, which has no minimum
// (contract §6.4).
func (m Merchant) MinimumBalanceIn(mode identity.Mode) (*money.Amount, error) {
	if mode != identity.Live {
		return nil, nil
	}
	minimum, err := money.Parse(cmp.Or(m.MinimumBalance, standardMinimum), m.Currency)
	return &minimum, err
}
