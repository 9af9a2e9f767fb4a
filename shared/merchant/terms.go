package merchant

import (
	"cmp"
	"fmt"
	"time"

	"github.com/govalues/decimal"

	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Terms has the fields of a merchant that an operator may change. Absent and null fields stay unchanged.
type Terms struct {
	Name  optional.Of[string] `json:"name" validate:"min=1 text=150"` // contract §13.5
	Email optional.Of[string] `json:"email" validate:"email"`         // also names the payee (pay_to_email)

	// PayoutPlan follows contract §6.7; "": SINGLE_PAYMENT.
	PayoutPlan optional.Of[PayoutPlan] `json:"payout_plan" validate:"one-of?=SINGLE_PAYMENT|TRUE_INSTALLMENT|ACCELERATED_INSTALLMENT"` //nolint:lll // a tag is one line

	FeeRate        optional.Of[string] `json:"fee_rate"` // fraction of the amount; "": the standard rate
	OnlinePayments optional.Of[bool]   `json:"online_payments"`
	Onboarding     optional.Of[bool]   `json:"onboarding"`   // true: no merchant profile yet
	TimeZone       optional.Of[string] `json:"time_zone"`    // IANA name; "": the time zone of the country's capital
	MinimumBalance optional.Of[string] `json:"refund_floor"` // amount as text; "": the contract's minimum (§6.4)
	PayPal         optional.Of[bool]   `json:"paypal"`       // the merchant may offer PayPal

	// LowValue asks issuers not to authenticate payers of at most 30 EUR, which makes the merchant liable for fraud.
	LowValue optional.Of[bool] `json:"low_value_exemption"`

	// AcquirerAccount names the merchant's account at the live acquirer; "": payments go to the platform's account.
	AcquirerAccount optional.Of[string] `json:"acquirer_account" validate:"pattern=^[!-~]{0,64}$"`

	// Shards sets ShardCount before a launch with many payments. Otherwise Grow raises it.
	Shards optional.Of[int] `json:"shards"`

	Requests optional.Of[int] `json:"requests_per_second"` // 0: UsualRequests
}

// UsualRequests is the usual limit of a merchant's requests per second in one mode (contract §2.9). maxRequests is the
// highest limit that the platform's operator may set.
const (
	UsualRequests = 300
	maxRequests   = 10_000
)

const (
	standardFee = "0.0195" // contract §6.7
	maxFeeScale = 6
)

// Apply returns the merchant with the given terms. Failure: Invalid, with the first bad field.
func (c Terms) Apply(m Merchant) (Merchant, error) {
	if err := validate.Forms(c).First(); err != nil {
		return m, err
	}
	m.Name, m.Email = c.Name.Or(m.Name), c.Email.Or(m.Email)
	m.OnlinePayments, m.Onboarding = c.OnlinePayments.Or(m.OnlinePayments), c.Onboarding.Or(m.Onboarding)
	m.PayPal, m.LowValue = c.PayPal.Or(m.PayPal), c.LowValue.Or(m.LowValue)
	m.AcquirerAccount = c.AcquirerAccount.Or(m.AcquirerAccount)
	if plan, given := c.PayoutPlan.Get(); given {
		m.PayoutPlan = normalizePlan(plan)
	}
	var err error
	if rate, given := c.FeeRate.Get(); given {
		if m.FeeRate, err = parseFeeRate(rate); err != nil {
			return m, err
		}
	}
	if name, given := c.TimeZone.Get(); given {
		if m.TimeZone, err = parseTimeZone(name, m.Country); err != nil {
			return m, err
		}
	}
	if minimum, given := c.MinimumBalance.Get(); given {
		if m.MinimumBalance, err = parseMinimumBalance(minimum, m.Currency); err != nil {
			return m, err
		}
	}
	if m.Requests = c.Requests.Or(m.Requests); m.Requests < 0 || m.Requests > maxRequests {
		return m, failure.Invalid("requests_per_second", fmt.Sprintf("must be from 0 to %d", maxRequests))
	}
	if shards, given := c.Shards.Get(); given {
		return m.withShards(shards)
	}
	return m, nil
}

// parseFeeRate parses a rate and returns its shortest form, so that equal rates are equal terms.
func parseFeeRate(text string) (string, error) {
	rate, err := decimal.Parse(cmp.Or(text, standardFee))
	if err != nil || rate.IsNeg() || !rate.Less(decimal.One) || rate.Scale() > maxFeeScale {
		return "", failure.Invalid("fee_rate", "must be a decimal from 0 to below 1 with at most 6 decimals, as text")
	}
	return rate.Trim(0).String(), nil
}

// normalizePlan returns a plan as stored: the default is "", so that equal plans are equal terms.
func normalizePlan(plan PayoutPlan) PayoutPlan {
	if plan == SinglePayment {
		return ""
	}
	return plan
}

func parseTimeZone(name, ofCountry string) (string, error) {
	if name == "" {
		return country.Zone(ofCountry), nil
	}
	// "Local" is the machine's zone, not the merchant's.
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return "", failure.Invalid("time_zone", "must be a name of the IANA time zone database, such as Europe/Berlin")
	}
	return name, nil
}

// parseMinimumBalance parses a minimum balance and returns it in the currency's notation.
func parseMinimumBalance(text string, c money.Currency) (string, error) {
	if text == "" {
		return "", nil
	}
	minimum, err := money.Parse(text, c)
	if err != nil {
		return "", failure.Invalid("refund_floor", "must be an amount with at most the currency's decimals, as text")
	}
	return minimum.String(), nil
}
