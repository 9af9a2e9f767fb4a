package identity_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

var (
	owner = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}
	noon  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func request(scopes ...string) identity.KeyRequest {
	return identity.KeyRequest{Name: "till", Scopes: &scopes}
}

// TestAPIKeyFrom_SameBytes checks that the same random bytes make the same key.
func TestAPIKeyFrom_SameBytes(t *testing.T) {
	t.Parallel()
	from := func(b byte) (identity.APIKey, string) {
		k, token, err := identity.APIKeyFrom(bytes.NewReader(bytes.Repeat([]byte{b}, 1000)), owner, request("payments"), noon)
		if err != nil {
			t.Fatal(err)
		}
		return k, token
	}
	k, token := from(7)
	again, same := from(7)
	if diff := cmp.Diff(k, again); diff != "" || token != same {
		t.Errorf("the same bytes: got another key (-want +got):\n%s", diff)
	}
	want := identity.APIKey{ID: k.ID, Kind: identity.SecretKey, Name: "till", Tenant: owner, Scopes: []string{"payments"},
		TokenHash: identity.Hash(token), Preview: token[len(token)-8:], CreatedAt: noon, UpdatedAt: noon}
	if diff := cmp.Diff(want, k); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other, text := from(8); other.ID == k.ID || text == token || strings.Contains(k.ID, k.Preview) {
		t.Errorf("other bytes: got %s again, want another key", k.ID)
	}
	if _, _, err := identity.APIKeyFrom(iotest.ErrReader(iotest.ErrTimeout), owner, request(), noon); err == nil {
		t.Error("without bytes: got no error, want one")
	}
}

func TestAPIKey_With(t *testing.T) {
	t.Parallel()
	k, _, err := identity.NewAPIKey(owner, request("refunds.write", "payments"), noon)
	if err != nil {
		t.Fatal(err)
	}
	later := noon.Add(time.Hour)
	for name, c := range map[string]struct {
		name   string
		scopes []string
		want   func(*identity.APIKey)
	}{
		"nothing": {"till", []string{"payments", "refunds.write", "payments"}, func(*identity.APIKey) {}},
		"its name": {"Kasse", []string{"payments", "refunds.write"},
			func(k *identity.APIKey) { k.Name, k.UpdatedAt = "Kasse", later }},
		"its scopes": {"till", []string{"profile"},
			func(k *identity.APIKey) { k.Scopes, k.UpdatedAt = []string{"user.profile_readonly"}, later }},
		"all of those": {"till", nil, func(k *identity.APIKey) { k.Scopes, k.UpdatedAt = nil, later }},
	} {
		want := k
		c.want(&want)
		got, err := k.With(c.name, c.scopes, later)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for name, scopes := range map[string][]string{"": {"payments"}, "till": {"paiments"},
		"a text that would come back": {strings.Repeat("x", 65)}} {
		if got, err := k.With(name, scopes, later); err == nil || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%q, %v: got %v, error %v, want one that is short", name, scopes, got, err)
		}
	}
	old := k
	old.UpdatedAt = time.Time{}
	if !old.ChangedAt().Equal(noon) || !k.ChangedAt().Equal(noon) {
		t.Errorf("got changed at %s and %s, want %s", old.ChangedAt(), k.ChangedAt(), noon)
	}
}

// TestPrincipal_MayManage checks that a principal needs the rights to use the operations on keys, and all rights of the
// key.
func TestPrincipal_MayManage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllScopes()), rapid.ID)
		k := identity.APIKey{Kind: identity.SecretKey, Scopes: some.Draw(t, "of the key")}
		p := key(some.Draw(t, "of the principal")...)
		if rapid.Bool().Draw(t, "person") {
			p = person(false, rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllPermissions()), rapid.ID).
				Draw(t, "permissions"), p.Scopes...)
		}
		want := p.May("api_keys:write") && p.Has(identity.DeveloperSettingsWrite)
		for _, scope := range k.Scopes {
			want = want && slices.Contains(p.Scopes, scope) && p.MayGiveScope(scope)
		}
		if got := p.MayManage(k); got != want {
			t.Fatalf("%+v and %+v: got %t, want %t", p, k, got, want)
		}
		if !identity.Platform().MayManage(k) {
			t.Fatal("the platform: got false, want true")
		}
	})
}
