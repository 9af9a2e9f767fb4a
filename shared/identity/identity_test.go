package identity_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

func TestTenantRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := identity.Tenant{
			Mode:     rapid.SampledFrom([]identity.Mode{identity.Live, identity.Test}).Draw(t, "mode"),
			Merchant: rapid.StringMatching(`M[0-9A-Z]{1,9}`).Draw(t, "merchant"),
		}
		if got, ok := identity.ParseTenant(want.String()); !ok || got != want {
			t.Fatalf("%s became %+v, %t", want, got, ok)
		}
	})
	if got := (identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}).String(); got != "T#MC0A1B2C3D" {
		t.Errorf("%s", got)
	}
}

func TestParseTenantRefusesAllElse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "#", "L", "L#", "#MC0A1B2C3D", "X#MC0A1B2C3D", "l#MC0A1B2C3D", "LT#MC0A1B2C3D", "MC0A1B2C3D"} {
		if got, ok := identity.ParseTenant(text); ok {
			t.Errorf("%q passes as %+v", text, got)
		}
	}
}
