package account_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/money"
)

func TestTenantRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := account.Tenant{
			Mode:     rapid.SampledFrom([]account.Mode{account.Live, account.Test}).Draw(t, "mode"),
			Merchant: rapid.StringMatching(`M[0-9A-Z]{1,9}`).Draw(t, "merchant"),
		}
		if got, ok := account.ParseTenant(want.String()); !ok || got != want {
			t.Fatalf("%s became %+v, %t", want, got, ok)
		}
	})
	if got := (account.Tenant{Mode: account.Test, Merchant: "MC0A1B2C3D"}).String(); got != "T#MC0A1B2C3D" {
		t.Errorf("%s", got)
	}
}

func TestParseTenantRefusesAllElse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "#", "L", "L#", "#MC0A1B2C3D", "X#MC0A1B2C3D", "l#MC0A1B2C3D", "LT#MC0A1B2C3D", "MC0A1B2C3D"} {
		if got, ok := account.ParseTenant(text); ok {
			t.Errorf("%q passes as %+v", text, got)
		}
	}
}

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
		if got := (account.Credential{Scopes: c.holds}).May(c.anyOf...); got != c.want {
			t.Errorf("%q may use what asks for %q: %t", c.holds, c.anyOf, got)
		}
	}
}

// Contract §11.2: none before the merchant asked; after a rotation both sign for 24 hours.
func TestWhichCallbackSecretsSign(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	first := account.CallbackSecret{}.Rotated(start)
	second := first.Rotated(start.Add(48 * time.Hour))
	third := second.Rotated(start.Add(49 * time.Hour))
	for _, c := range []struct {
		name   string
		secret account.CallbackSecret
		after  time.Duration
		want   []int
	}{
		{"never asked for", account.CallbackSecret{}, 0, nil},
		{"first, at once", first, 0, []int{1}},
		{"first, much later", first, 1000 * time.Hour, []int{1}},
		{"rotated, at once", second, 48 * time.Hour, []int{2, 1}},
		{"rotated, the last moment", second, 72*time.Hour - time.Nanosecond, []int{2, 1}},
		{"rotated, after a day", second, 72 * time.Hour, []int{2}},
		{"rotated twice within a day", third, 50 * time.Hour, []int{3, 2}},
		{"rotated twice, after a day", third, 73 * time.Hour, []int{3}},
	} {
		if got := c.secret.Signing(start.Add(c.after)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v sign, want %v", c.name, got, c.want)
		}
	}
}

// TestTheFloorOfRefunds is the merchant's own or −1000 in its currency, in live mode only (contract §6.4).
func TestTheFloorOfRefunds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own  string
		in   money.Currency
		want string
	}{{"", "EUR", "-1000"}, {"", "CLP", "-1000"}, {"-50.50", "EUR", "-50.50"}, {"0", "EUR", "0"}} {
		m := account.Merchant{Currency: c.in, RefundFloor: c.own}
		floor, err := m.Floor(account.Live)
		if err != nil || floor == nil || *floor != money.MustParse(c.want, c.in) {
			t.Errorf("%q in %s: %v, %v", c.own, c.in, floor, err)
		}
		if floor, err := m.Floor(account.Test); err != nil || floor != nil {
			t.Errorf("%q in test mode: %v, %v", c.own, floor, err)
		}
	}
}
