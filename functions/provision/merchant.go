package provision

import (
	"context"
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createMerchant makes a merchant with its first key, which holds every
// scope: a live one, or a test one for a sandbox merchant.
//
// With a merchant_code of the operator's choice the command may be repeated:
// a merchant of that code with the same facts is answered as it is, without a
// key, because keys are shown once; if the first answer was lost,
// create_api_key makes another. Other facts are a CONFLICT.
type createMerchant struct {
	Name           string `json:"name"`
	Email          string `json:"email"`    // also names the payee (pay_to_email)
	Country        string `json:"country"`  // ISO 3166-1 alpha-2
	Currency       string `json:"currency"` // of contract §2.4
	Sandbox        bool   `json:"sandbox"`
	FeeRate        string `json:"fee_rate"`        // fraction of the amount; "0.0195" unless given
	OnlinePayments *bool  `json:"online_payments"` // true unless given
	TestKey        bool   `json:"test_key"`        // beside the live key
	MerchantCode   string `json:"merchant_code"`   // MC and 8 characters; made up unless given

	TimeZone    string          `json:"time_zone"`    // IANA name; that of the country's capital unless given
	RefundFloor string          `json:"refund_floor"` // amount as text; the contract's (§6.4) unless given
	Profile     json.RawMessage `json:"profile"`      // merchant.Profile; all optional

	PayoutPlan      payments.PayoutPlan `json:"payout_plan"` // SINGLE_PAYMENT unless given
	GrossSettlement *bool               `json:"gross_settlement"`
}

type merchantCreated struct {
	MerchantCode string   `json:"merchant_code"`
	Created      bool     `json:"created"` // false: it was there already
	APIKey       *keyView `json:"api_key,omitempty"`
	TestAPIKey   *keyView `json:"test_api_key,omitempty"`
}

// madeUpCodes is how many codes are tried before chance is ruled out.
const madeUpCodes = 5

func (o operator) createMerchant(ctx context.Context, c createMerchant) (merchantCreated, error) {
	m, err := c.merchant()
	if err != nil {
		return merchantCreated{}, err
	}
	p, err := mergeProfile(merchant.Profile{}, c.Profile)
	if err != nil {
		return merchantCreated{}, err
	}
	m.CreatedAt = o.Now()
	if m.Code != "" {
		return o.createOrFind(ctx, m, p, c.TestKey)
	}
	for range madeUpCodes {
		m.Code = newMerchantCode()
		var created merchantCreated
		created, err = o.create(ctx, m, p, c.TestKey)
		if !failure.Is(err, failure.Conflict) {
			return created, err
		}
	}
	return merchantCreated{}, err
}

func (o operator) createOrFind(ctx context.Context, m merchant.Merchant, p merchant.Profile, testKey bool) (merchantCreated, error) {
	created, err := o.create(ctx, m, p, testKey)
	if !failure.Is(err, failure.Conflict) {
		return created, err
	}
	there, profile, err := o.Store.MerchantProfile(ctx, m.Code)
	if err != nil {
		return merchantCreated{}, err
	}
	m.CreatedAt, m.Version, m.Payouts = there.CreatedAt, there.Version, there.Payouts // no facts of the command's
	if m != there || p != profile {
		return merchantCreated{}, failure.Clash("CONFLICT", "", "another merchant has this merchant_code")
	}
	return merchantCreated{MerchantCode: m.Code}, nil
}

func (o operator) create(ctx context.Context, m merchant.Merchant, p merchant.Profile, testKey bool) (merchantCreated, error) {
	first, firstView, err := mint(m, bootstrapKey(firstMode(m)), m.CreatedAt)
	if err != nil {
		return merchantCreated{}, err
	}
	created, keys := merchantCreated{MerchantCode: m.Code, Created: true, APIKey: &firstView}, []store.APIKey{first}
	if testKey {
		second, secondView, err := mint(m, bootstrapKey(identity.Test), m.CreatedAt)
		if err != nil {
			return merchantCreated{}, err
		}
		created.TestAPIKey, keys = &secondView, append(keys, second)
	}
	if err := o.Store.CreateMerchant(ctx, m, p, keys...); err != nil {
		return merchantCreated{}, err
	}
	o.Log.InfoContext(ctx, "merchant created", "merchant", m.Code, "sandbox", m.Sandbox)
	return created, nil
}

func bootstrapKey(mode identity.Mode) keyOrder {
	return keyOrder{Mode: mode, Kind: identity.SecretKey, Scopes: identity.AllScopes(), Name: "bootstrap"}
}

// merchant checks the facts one by one.
func (c createMerchant) merchant() (merchant.Merchant, error) {
	for _, given := range []struct{ param, value string }{
		{"name", c.Name}, {"email", c.Email}, {"country", c.Country}, {"currency", c.Currency},
	} {
		if given.value == "" {
			return merchant.Merchant{}, failure.Missing(given.param)
		}
	}
	settled, err := money.ParseCurrency(c.Currency)
	switch {
	case err != nil:
		return merchant.Merchant{}, failure.Invalid("currency", "must be a supported ISO 4217 code")
	case !knownCountry(c.Country):
		return merchant.Merchant{}, errCountry("country")
	case c.MerchantCode != "" && !merchantCode(c.MerchantCode):
		return merchant.Merchant{}, failure.Invalid("merchant_code", "must be MC and 8 digits or capitals without I, L, O, U")
	case c.Sandbox && c.TestKey:
		return merchant.Merchant{}, failure.Invalid("test_key", "a sandbox merchant's first key is a test key")
	}
	return facts{&c.Name, &c.Email, &c.FeeRate, c.OnlinePayments, &c.TimeZone, &c.RefundFloor,
		&c.PayoutPlan, c.GrossSettlement}.apply(merchant.Merchant{
		Code: c.MerchantCode, Country: c.Country, Currency: settled, Sandbox: c.Sandbox, OnlinePayments: true})
}
