// Package merchant holds the types and pure rules of a merchant: its terms,
// profile, bank account and payout settings. It does no I/O.
package merchant

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Merchant is what the platform knows of a merchant at payment time.
type Merchant struct {
	Code           string         `dynamo:"code"`
	Name           string         `dynamo:"name"`
	Email          string         `dynamo:"email"`
	Country        string         `dynamo:"country"` // ISO 3166-1 alpha-2
	Currency       money.Currency `dynamo:"currency"`
	Sandbox        bool           `dynamo:"sandbox"`                // has only test credentials
	OnlinePayments bool           `dynamo:"online_payments"`        // may take checkout payments
	FeeRate        string         `dynamo:"fee_rate"`               // decimal fraction of the amount, "0.0195" = 1.95 % (contract §6.7)
	RefundFloor    string         `dynamo:"refund_floor,omitempty"` // decimal, in Currency; "": the contract's
	TimeZone       string         `dynamo:"time_zone,omitempty"`    // IANA name; "": UTC
	PayoutPlan     string         `dynamo:"payout_plan,omitempty"`  // of its transactions (contract §6.7); "": SINGLE_PAYMENT
	Gross          bool           `dynamo:"gross,omitempty"`        // gross settlement: fees are billed, not kept back (contract §7.2)
	Payouts        PayoutsByMode  `dynamo:"payouts"`                // as its payout schedules have them (store.CopyPayoutSettings)
	CreatedAt      time.Time      `dynamo:"created_at"`
	Version        int            `dynamo:"version,omitempty"` // how often it was changed; of two copies the higher holds
}

// standardFloor is how far below nought refunds may take a live merchant's
// balance, in its currency (contract §6.4).
const standardFloor = "-1000"

// Floor is the balance that refunds must leave; nil in test mode, where there
// is none (contract §6.4).
func (m Merchant) Floor(mode identity.Mode) (*money.Amount, error) {
	if mode != identity.Live {
		return nil, nil
	}
	text := m.RefundFloor
	if text == "" {
		text = standardFloor
	}
	floor, err := money.Parse(text, m.Currency)
	return &floor, err
}
