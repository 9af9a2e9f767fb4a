package merchant

import (
	"net/mail"
	"time"

	"github.com/govalues/decimal"

	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Terms are what may change of a merchant by an operator's hand; nil leaves
// one as it is.
type Terms struct {
	Name            *string `json:"name"`
	Email           *string `json:"email"`    // also names the payee (pay_to_email)
	FeeRate         *string `json:"fee_rate"` // fraction of the amount; "": the standard one
	OnlinePayments  *bool   `json:"online_payments"`
	TimeZone        *string `json:"time_zone"`    // IANA name; "": that of the country's capital
	RefundFloor     *string `json:"refund_floor"` // amount as text; "": the contract's (§6.4)
	PayoutPlan      *string `json:"payout_plan"`  // "": SINGLE_PAYMENT
	GrossSettlement *bool   `json:"gross_settlement"`
}

const (
	maxName     = 150      // contract §13.5
	maxEmail    = 256      // contract §8.1
	standardFee = "0.0195" // contract §6.7
	maxFeeScale = 6
)

// Apply is the merchant with the terms that are given. Failure: Rejected, with
// the first field that cannot be.
func (c Terms) Apply(m Merchant) (Merchant, error) {
	var err error
	if c.Name != nil {
		if m.Name = *c.Name; m.Name == "" {
			return m, failure.Invalid("name", "must be 1 to 150 characters")
		}
		if err = failure.Text("name", m.Name, maxName).Err(); err != nil {
			return m, err
		}
	}
	if c.Email != nil {
		m.Email = *c.Email
		address, err := mail.ParseAddress(m.Email)
		if err != nil || address.Address != m.Email || len(m.Email) > maxEmail {
			return m, failure.Invalid("email", "must be an email address of at most 256 characters")
		}
	}
	if c.OnlinePayments != nil {
		m.OnlinePayments = *c.OnlinePayments
	}
	if c.GrossSettlement != nil {
		m.Gross = *c.GrossSettlement
	}
	if c.PayoutPlan != nil {
		if m.PayoutPlan, err = payoutPlan(*c.PayoutPlan); err != nil {
			return m, err
		}
	}
	if c.FeeRate != nil {
		if m.FeeRate, err = feeRate(*c.FeeRate); err != nil {
			return m, err
		}
	}
	if c.TimeZone != nil {
		if m.TimeZone, err = timeZone(*c.TimeZone, m.Country); err != nil {
			return m, err
		}
	}
	if c.RefundFloor != nil {
		m.RefundFloor, err = refundFloor(*c.RefundFloor, m.Currency)
	}
	return m, err
}

// feeRate reads a rate in its shortest form, so that equal rates are equal
// terms.
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

// payoutPlan reads a plan (contract §6.7). The default is not spelt out, so
// that equal plans are equal terms.
func payoutPlan(plan string) (string, error) {
	switch plan {
	case "", "SINGLE_PAYMENT":
		return "", nil
	case "TRUE_INSTALLMENT", "ACCELERATED_INSTALLMENT":
		return plan, nil
	default:
		return "", failure.Invalid("payout_plan", "must be SINGLE_PAYMENT, TRUE_INSTALLMENT or ACCELERATED_INSTALLMENT")
	}
}

func timeZone(name, ofCountry string) (string, error) {
	if name == "" {
		return country.Zone(ofCountry), nil
	}
	// "Local" is the machine's own, which says nothing of the merchant's.
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
