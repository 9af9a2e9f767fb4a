package provision

import (
	"encoding/json"
	"net/mail"
	"time"

	"github.com/govalues/decimal"
	"github.com/jacoelho/banking/iso3166"

	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// facts are those of a merchant that may change; nil leaves one as it is.
type facts struct {
	Name           *string `json:"name"`
	Email          *string `json:"email"`
	FeeRate        *string `json:"fee_rate"` // "": the standard one
	OnlinePayments *bool   `json:"online_payments"`
	TimeZone       *string `json:"time_zone"`    // "": that of the country's capital
	RefundFloor    *string `json:"refund_floor"` // "": the contract's

	PayoutPlan      *payments.PayoutPlan `json:"payout_plan"` // "": SINGLE_PAYMENT
	GrossSettlement *bool                `json:"gross_settlement"`
}

const (
	maxName  = 150 // contract §13.5
	maxEmail = 256 // contract §8.1
	// standardFee is the default rate (contract §6.7).
	standardFee = "0.0195"
	maxFeeScale = 6
)

// apply is the merchant with the facts, each of which is checked.
func (f facts) apply(m merchant.Merchant) (merchant.Merchant, error) {
	var err error
	if f.Name != nil {
		if m.Name = *f.Name; m.Name == "" {
			return m, failure.Invalid("name", "must be 1 to 150 characters")
		}
		if err = failure.Text("name", m.Name, maxName).Err(); err != nil {
			return m, err
		}
	}
	if f.Email != nil {
		m.Email = *f.Email
		address, err := mail.ParseAddress(m.Email)
		if err != nil || address.Address != m.Email || len(m.Email) > maxEmail {
			return m, failure.Invalid("email", "must be an email address of at most 256 characters")
		}
	}
	if f.OnlinePayments != nil {
		m.OnlinePayments = *f.OnlinePayments
	}
	if f.GrossSettlement != nil {
		m.Gross = *f.GrossSettlement
	}
	if f.PayoutPlan != nil {
		if m.PayoutPlan, err = payoutPlan(*f.PayoutPlan); err != nil {
			return m, err
		}
	}
	if f.FeeRate != nil {
		if m.FeeRate, err = feeRate(*f.FeeRate); err != nil {
			return m, err
		}
	}
	if f.TimeZone != nil {
		if m.TimeZone, err = timeZone(*f.TimeZone, m.Country); err != nil {
			return m, err
		}
	}
	if f.RefundFloor != nil {
		m.RefundFloor, err = refundFloor(*f.RefundFloor, m.Currency)
	}
	return m, err
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

// payoutPlan reads a plan; the default is not spelt out, so that equal plans are
// equal facts.
func payoutPlan(p payments.PayoutPlan) (string, error) {
	switch p {
	case "", payments.SinglePayment:
		return "", nil
	case payments.TrueInstallment, payments.AcceleratedInstallment:
		return string(p), nil
	default:
		return "", failure.Invalid("payout_plan", "must be SINGLE_PAYMENT, TRUE_INSTALLMENT or ACCELERATED_INSTALLMENT")
	}
}

func timeZone(name, ofCountry string) (string, error) {
	if name == "" {
		return country.Zone(ofCountry), nil
	}
	// "Local" is the machine's own, which tells nothing of the merchant's.
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return "", failure.Invalid("time_zone", "must be a name of the IANA time zone database, such as Europe/Berlin")
	}
	return name, nil
}

// refundFloor reads a floor as the currency writes it.
func refundFloor(text string, c money.Currency) (string, error) {
	if text == "" {
		return "", nil
	}
	floor, err := money.Parse(text, c)
	if err != nil {
		return "", failure.Invalid("refund_floor", "must be an amount with at most the currency's decimals, as text")
	}
	return floor.String(), nil
}

// mergeProfile is the profile with what the arguments say of it; an empty text
// takes back what it said.
func mergeProfile(p merchant.Profile, arguments json.RawMessage) (merchant.Profile, error) {
	if len(arguments) == 0 {
		return p, nil
	}
	err := decode(arguments, &p)
	if err == nil {
		err = p.Check()
	}
	if err == nil && p.Address.Country != "" && !knownCountry(p.Address.Country) {
		err = errCountry("address.country")
	}
	if err == nil {
		return p, nil
	}
	refused := *failure.Of(err)
	if refused.Param == "" {
		return p, failure.Invalid("profile", "must be an object")
	}
	refused.Param = "profile." + refused.Param
	return p, &refused
}

func knownCountry(code string) bool { return iso3166.IsCountryCode(code) }

func errCountry(param string) error {
	return failure.Invalid(param, "must be an ISO 3166-1 alpha-2 code")
}
