package provision

import (
	"context"
	"net/mail"
	"unicode/utf8"

	"github.com/bojanz/currency"
	"github.com/govalues/decimal"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
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
	m.CreatedAt = o.Now()
	if m.Code != "" {
		return o.createOrFind(ctx, m, c.TestKey)
	}
	for range madeUpCodes {
		m.Code = newMerchantCode()
		var created merchantCreated
		created, err = o.create(ctx, m, c.TestKey)
		if !failure.Is(err, failure.Conflict) {
			return created, err
		}
	}
	return merchantCreated{}, err
}

func (o operator) createOrFind(ctx context.Context, m account.Merchant, testKey bool) (merchantCreated, error) {
	created, err := o.create(ctx, m, testKey)
	if !failure.Is(err, failure.Conflict) {
		return created, err
	}
	there, _, err := o.Store.Merchant(ctx, m.Code)
	if err != nil {
		return merchantCreated{}, err
	}
	m.CreatedAt = there.CreatedAt
	if m != there {
		return merchantCreated{}, failure.Clash("CONFLICT", "", "another merchant has this merchant_code")
	}
	return merchantCreated{MerchantCode: m.Code}, nil
}

func (o operator) create(ctx context.Context, m account.Merchant, testKey bool) (merchantCreated, error) {
	first, firstView, err := mint(m, bootstrapKey(firstMode(m)), m.CreatedAt)
	if err != nil {
		return merchantCreated{}, err
	}
	created, keys := merchantCreated{MerchantCode: m.Code, Created: true, APIKey: &firstView}, []store.APIKey{first}
	if testKey {
		second, secondView, err := mint(m, bootstrapKey(account.Test), m.CreatedAt)
		if err != nil {
			return merchantCreated{}, err
		}
		created.TestAPIKey, keys = &secondView, append(keys, second)
	}
	if err := o.Store.CreateMerchant(ctx, m, keys...); err != nil {
		return merchantCreated{}, err
	}
	o.Log.InfoContext(ctx, "merchant created", "merchant", m.Code, "sandbox", m.Sandbox)
	return created, nil
}

func bootstrapKey(mode account.Mode) keyOrder {
	return keyOrder{Mode: mode, Kind: account.SecretKey, Scopes: account.AllScopes(), Name: "bootstrap"}
}

const (
	maxName  = 150 // contract §13.5
	maxEmail = 256 // contract §8.1
	// standardFee is the default rate (contract §6.7).
	standardFee = "0.0195"
	maxFeeScale = 6
)

// merchant checks the facts one by one.
func (c createMerchant) merchant() (account.Merchant, error) {
	for _, given := range []struct{ param, value string }{
		{"name", c.Name}, {"email", c.Email}, {"country", c.Country}, {"currency", c.Currency},
	} {
		if given.value == "" {
			return account.Merchant{}, failure.Missing(given.param)
		}
	}
	settled, err := money.ParseCurrency(c.Currency)
	if err != nil {
		return account.Merchant{}, failure.Invalid("currency", "must be a supported ISO 4217 code")
	}
	fee, err := feeRate(c.FeeRate)
	if err != nil {
		return account.Merchant{}, err
	}
	m := account.Merchant{Code: c.MerchantCode, Name: c.Name, Email: c.Email, Country: c.Country, Currency: settled,
		Sandbox: c.Sandbox, OnlinePayments: c.OnlinePayments == nil || *c.OnlinePayments, FeeRate: fee}
	return m, c.check()
}

// check refuses texts that are not what they should be.
func (c createMerchant) check() error {
	address, err := mail.ParseAddress(c.Email)
	_, knownCountry := currency.ForCountryCode(c.Country)
	switch {
	case utf8.RuneCountInString(c.Name) > maxName:
		return failure.Invalid("name", "must be at most 150 characters")
	case err != nil || address.Address != c.Email || len(c.Email) > maxEmail:
		return failure.Invalid("email", "must be an email address of at most 256 characters")
	case !knownCountry:
		return failure.Invalid("country", "must be an ISO 3166-1 alpha-2 code")
	case c.MerchantCode != "" && !merchantCode(c.MerchantCode):
		return failure.Invalid("merchant_code", "must be MC and 8 digits or capitals without I, L, O, U")
	case c.Sandbox && c.TestKey:
		return failure.Invalid("test_key", "a sandbox merchant's first key is a test key")
	default:
		return nil
	}
}

// feeRate reads a rate in its shortest form, so that equal rates are equal facts.
func feeRate(text string) (string, error) {
	if text == "" {
		text = standardFee
	}
	rate, err := decimal.Parse(text)
	if err != nil || rate.IsNeg() || !rate.Less(decimal.One) || rate.Scale() > maxFeeScale {
		return "", failure.Invalid("fee_rate", "must be a decimal from 0 to below 1 with at most 6 decimals, as text")
	}
	return rate.Trim(0).String(), nil
}
