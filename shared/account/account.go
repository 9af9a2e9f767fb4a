// Package account holds the types and pure rules of merchants and their
// credentials. It does no I/O.
package account

import (
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Mode separates real money from the sandbox (contract §2.1). Its value is
// the first part of every key of a tenant.
type Mode string

// The modes.
const (
	Live Mode = "L"
	Test Mode = "T"
)

// Tenant is whose data a credential sees: one merchant in one mode. All of a
// tenant's keys begin with its String, so that a test credential cannot even
// name a live item.
type Tenant struct {
	Mode     Mode   `dynamo:"mode"`
	Merchant string `dynamo:"merchant_code"`
}

// String is the tenant's key prefix, e.g. "T#MC0A1B2C3D".
func (t Tenant) String() string { return string(t.Mode) + "#" + t.Merchant }

// ParseTenant reads what String wrote; false for anything else.
func ParseTenant(text string) (Tenant, bool) {
	mode, merchant, ok := strings.Cut(text, "#")
	t := Tenant{Mode: Mode(mode), Merchant: merchant}
	return t, ok && merchant != "" && (t.Mode == Live || t.Mode == Test)
}

// Merchant is what the platform knows of a merchant at payment time. Every
// credential carries a copy, so that authenticating takes one read; writers
// of a merchant rewrite the copies of its credentials.
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
	PayoutPlan     string         `dynamo:"payout_plan,omitempty"`  // of its transactions (spec, Transaction); "": SINGLE_PAYMENT
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
func (m Merchant) Floor(mode Mode) (*money.Amount, error) {
	if mode != Live {
		return nil, nil
	}
	text := m.RefundFloor
	if text == "" {
		text = standardFloor
	}
	floor, err := money.Parse(text, m.Currency)
	return &floor, err
}

// Kind of a credential.
type Kind string

// The kinds.
const (
	SecretKey Kind = "secret"
	PublicKey Kind = "public"
)

// Credential is a caller: an API key now, an access token later.
type Credential struct {
	ID        string    `dynamo:"id"`
	Kind      Kind      `dynamo:"kind"`
	Tenant    Tenant    `dynamo:"tenant"`
	Scopes    []string  `dynamo:"scopes,set"`
	Merchant  Merchant  `dynamo:"merchant"`
	Revoked   bool      `dynamo:"revoked"`
	CreatedAt time.Time `dynamo:"created_at"`
}

// May says the credential holds at least one of the scopes (contract §1: any
// one suffices; no scope asked means any credential of the merchant).
func (c Credential) May(anyOf ...string) bool {
	if len(anyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(anyOf, func(scope string) bool { return slices.Contains(c.Scopes, scope) })
}

// CallbackSecret says which of a merchant's callback secrets sign. Version 0
// means the merchant never asked for one: only the platform's own key signs.
type CallbackSecret struct {
	Version   int       `dynamo:"secret_version"`
	RotatedAt time.Time `dynamo:"secret_rotated_at"`
}

// overlap is how long the secret before goes on signing (contract §11.2).
const overlap = 24 * time.Hour

// Rotated is the next version, from now on.
func (s CallbackSecret) Rotated(now time.Time) CallbackSecret {
	return CallbackSecret{Version: s.Version + 1, RotatedAt: now}
}

// Signing lists the versions that sign at now, newest first.
func (s CallbackSecret) Signing(now time.Time) []int {
	switch {
	case s.Version == 0:
		return nil
	case s.Version > 1 && now.Before(s.RotatedAt.Add(overlap)):
		return []int{s.Version, s.Version - 1}
	default:
		return []int{s.Version}
	}
}
