package merchant_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TestMinimumBalance checks the merchant's own minimum, or else −1000 in the merchant's currency. Only live mode has a
// minimum (contract §6.4).
func TestMinimumBalance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own  string
		in   money.Currency
		want string
	}{{"", "EUR", "-1000"}, {"", "CLP", "-1000"}, {"-50.50", "EUR", "-50.50"}, {"0", "EUR", "0"}} {
		m := merchant.Merchant{Currency: c.in, MinimumBalance: c.own}
		minimum, err := m.MinimumBalanceIn(identity.Live)
		if err != nil || minimum == nil || *minimum != money.MustParse(c.want, c.in) {
			t.Errorf("%q in %s: got %v, %v, want %s", c.own, c.in, minimum, err, c.want)
		}
		if minimum, err := m.MinimumBalanceIn(identity.Test); err != nil || minimum != nil {
			t.Errorf("%q in test mode: got %v, %v, want none", c.own, minimum, err)
		}
	}
}
