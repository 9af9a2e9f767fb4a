package stripe

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
)

// hundredths lists the currencies that the platform counts in whole units (contract §2.4), but Stripe in hundredths.
// Stripe counts CLP in whole units, too.
var hundredths = map[money.Currency]int64{"COP": 100, "HUF": 100}

// errAmount reports an amount of Stripe's that the platform cannot have.
var errAmount = errors.New("stripe: an amount with a fraction or currency that the platform does not have")

// toStripe returns the amount in Stripe's units, and the currency in lower case.
func toStripe(a money.Amount) (units int64, currency string) {
	return a.Minor() * unitOf(a.Currency()), strings.ToLower(string(a.Currency()))
}

// unitOf returns the number of Stripe's units in the smallest amount of the platform.
func unitOf(c money.Currency) int64 { return max(hundredths[c], 1) }

// fromStripe returns an amount of Stripe's. Errors: errAmount.
func fromStripe(units int64, currency string) (money.Amount, error) {
	c, err := money.ParseCurrency(strings.ToUpper(currency))
	unit := unitOf(c)
	if err != nil || units%unit != 0 {
		return money.Amount{}, fmt.Errorf("%w: %d %.3q", errAmount, units, currency)
	}
	return money.FromMinor(units/unit, c), nil
}

// roundedFrom returns an amount of Stripe's, rounded to the platform's smallest amount. For a currency that the
// platform does not have, it returns the zero Amount.
func roundedFrom(units int64, currency string) money.Amount {
	c, err := money.ParseCurrency(strings.ToUpper(currency))
	if err != nil {
		return money.Amount{}
	}
	half := unitOf(c) / 2
	if units < 0 {
		half = -half
	}
	return money.FromMinor((units+half)/unitOf(c), c)
}
