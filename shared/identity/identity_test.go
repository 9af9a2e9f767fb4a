package identity_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

func TestParseTenant_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := identity.Tenant{
			Mode:     rapid.SampledFrom([]identity.Mode{identity.Live, identity.Test}).Draw(t, "mode"),
			Merchant: rapid.StringMatching(`M[0-9A-Z]{1,9}`).Draw(t, "merchant"),
		}
		if got, ok := identity.ParseTenant(want.String()); !ok || got != want {
			t.Fatalf("%s: got %+v, %t, want %+v, true", want, got, ok, want)
		}
	})
	if got := (identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}).String(); got != "T#MC0A1B2C3D" {
		t.Errorf("got %s, want T#MC0A1B2C3D", got)
	}
}

func TestParseTenant_Malformed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "#", "L", "L#", "#MC0A1B2C3D", "X#MC0A1B2C3D", "l#MC0A1B2C3D",
		"LT#MC0A1B2C3D", "MC0A1B2C3D", "L#MC0A1B2C3D#1", "L#MC0A1B2C3D#"} {
		if got, ok := identity.ParseTenant(text); ok {
			t.Errorf("%q: got %+v, want it refused", text, got)
		}
	}
}

func TestPrincipal_May(t *testing.T) {
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
		p := identity.Principal{Actor: identity.Actor{Kind: identity.SecretKey}, Scopes: c.holds}
		if got := p.May(c.anyOf...); got != c.want {
			t.Errorf("%q for %q: got %t, want %t", c.holds, c.anyOf, got, c.want)
		}
	}
}

// TestPrincipal_NobodyAndPlatform checks IsNobody and IsPlatform, and that the platform may do everything.
func TestPrincipal_NobodyAndPlatform(t *testing.T) {
	t.Parallel()
	scope, permission := identity.AllScopes()[0], identity.AllPermissions()[0]
	unknown := identity.Principal{Actor: identity.Actor{Kind: "new"}, Scopes: identity.AllScopes()}
	for p, who := range map[*identity.Principal]bool{{}: false, &unknown: false, new(identity.Platform()): true} {
		for what, got := range map[string]bool{"May": p.May(), "May scope": p.May(scope), "Has": p.Has(""),
			"Has permission": p.Has(permission), "Sees": p.Sees(""), "MayManage": p.MayManage(identity.APIKey{}),
			"MayGiveScope": p.MayGiveScope(scope), "MayGivePermission": p.MayGivePermission(permission),
			"MayMakeOwner": p.MayMakeOwner()} {
			if got != who {
				t.Errorf("%s of %q: got %t, want %t", what, p.Actor.Kind, got, who)
			}
		}
	}
}

func TestParseMode(t *testing.T) {
	t.Parallel()
	for _, m := range identity.Modes {
		if got, ok := identity.ParseMode(m.Name()); !ok || got != m {
			t.Errorf("%s: got %s, %t, want %s, true", m.Name(), got, ok, m)
		}
	}
	for _, name := range []string{"", "L", "Live", "sandbox"} {
		if got, ok := identity.ParseMode(name); ok {
			t.Errorf("%q: got %s, want it refused", name, got)
		}
	}
}

func TestNewMerchantCode(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		code := identity.NewMerchantCode()
		if !identity.IsMerchantCode(code) {
			t.Errorf("new code %s: got false, want true", code)
		}
		seen[code] = true
	}
	if len(seen) != 100 {
		t.Errorf("got %d different codes, want 100", len(seen))
	}
	for _, text := range []string{"", "MC", "MC0A1B2C3", "MC0A1B2C3DE", "MC0A1B2C3I", "mc0A1B2C3D",
		"MC0a1b2c3d", "XX0A1B2C3D"} {
		if identity.IsMerchantCode(text) {
			t.Errorf("%q: got true, want false", text)
		}
	}
}
