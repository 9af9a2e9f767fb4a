package merchant_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

func TestMay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		holds, anyOf []string
		want         bool
	}{
		{holds: nil, anyOf: nil, want: true},
		{holds: nil, anyOf: []string{"payments"}, want: false},
		{holds: []string{"payments"}, anyOf: nil, want: true},
		{holds: []string{"payments"}, anyOf: []string{"payments"}, want: true},
		{holds: []string{"user.profile"}, anyOf: []string{"user.profile_readonly", "user.profile"}, want: true},
		{holds: []string{"payments"}, anyOf: []string{"payment_instruments"}, want: false},
		{holds: []string{"payment_instruments"}, anyOf: []string{"payment"}, want: false},
		{holds: []string{""}, anyOf: []string{"payments"}, want: false},
	} {
		if got := (merchant.Credential{Scopes: c.holds}).May(c.anyOf...); got != c.want {
			t.Errorf("%q may use what asks for %q: %t", c.holds, c.anyOf, got)
		}
	}
}
