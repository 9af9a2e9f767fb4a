package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/secret"
)

var (
	tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}
	now    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

// newRegistration returns a complete registration with the changes.
func newRegistration(change ...func(*oauth.Registration)) oauth.Registration {
	r := oauth.Registration{Name: optional.Some("Till"),
		RedirectURIs: &[]string{"https://b.example/", "https://a.example/"},
		Scopes:       &[]string{"refunds.write", "payments", "profile", "user.profile_readonly"}}
	for _, set := range change {
		set(&r)
	}
	return r
}

func registerClient(t *testing.T, change ...func(*oauth.Registration)) (oauth.Client, string) {
	t.Helper()
	c, text, err := oauth.NewClient(tenant, newRegistration(change...), now)
	if err != nil {
		t.Fatal(err)
	}
	return c, text
}

func withName(name string) func(*oauth.Registration) {
	return func(r *oauth.Registration) { r.Name = optional.Some(name) }
}

func withScopes(names ...string) func(*oauth.Registration) {
	return func(r *oauth.Registration) { r.Scopes = &names }
}

func withURIs(texts ...string) func(*oauth.Registration) {
	return func(r *oauth.Registration) { r.RedirectURIs = &texts }
}

func TestNewClient(t *testing.T) {
	t.Parallel()
	got, text := registerClient(t)
	want := oauth.Client{ID: got.ID, Name: "Till", Tenant: tenant, CreatedAt: now, SecretHash: identity.Hash(text),
		RedirectURIs: []string{"https://a.example/", "https://b.example/"},
		Scopes:       []string{"payments", "refunds.write", "user.profile_readonly"}}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "client_") || len(text) != 43 {
		t.Errorf("(-want +got):\n%sid %s, a secret of %d characters, want client_… and 43", diff, got.ID, len(text))
	}
	if other, again := registerClient(t); other.ID == got.ID || again == text {
		t.Error("got the same id or secret twice, want others")
	}
}

func TestNewClient_Invalid(t *testing.T) {
	t.Parallel()
	many := make([]string, 129)
	for i := range many {
		many[i] = fmt.Sprintf("https://shop.example/%d", i)
	}
	for name, c := range map[string]struct {
		change      func(*oauth.Registration)
		code, param string
	}{
		"no name":          {func(r *oauth.Registration) { r.Name = optional.Of[string]{} }, "MISSING", "name"},
		"an empty name":    {withName(""), "MISSING", "name"},
		"a long name":      {withName(strings.Repeat("\u00e4", 256)), "INVALID", "name"},
		"a control":        {withName("Till\x00"), "INVALID", "name"},
		"no redirect URIs": {func(r *oauth.Registration) { r.RedirectURIs = nil }, "MISSING", "redirect_uris"},
		"21 redirect URIs": {withURIs(many[:21]...), "INVALID", "redirect_uris"},
		"a wrong one":      {withURIs("https://shop.example/", "http://shop.example/"), "INVALID", "redirect_uris.1"},
		"no scopes":        {func(r *oauth.Registration) { r.Scopes = nil }, "MISSING", "scopes"},
		"an unknown scope": {withScopes("payments", "paiments"), "INVALID", "scopes"},
		"129 scopes":       {withScopes(slices.Repeat([]string{"payments"}, 129)...), "INVALID", "scopes"},
	} {
		_, _, err := oauth.NewClient(tenant, newRegistration(c.change), now)
		if got := failure.Of(err); got.Code != c.code || got.Param != c.param {
			t.Errorf("%s: got %v, want %s %s", name, err, c.code, c.param)
		}
	}
	if _, _, err := oauth.NewClient(tenant, newRegistration(withURIs(many[:20]...)), now); err != nil {
		t.Errorf("20 redirect URIs: got %v, want them taken", err)
	}
}

func TestClient_WithPartialChange(t *testing.T) {
	t.Parallel()
	before, _ := registerClient(t)
	before.Approved = []string{"payments", "refunds.write"}
	for name, c := range map[string]struct {
		change oauth.Registration
		want   func(*oauth.Client)
	}{
		"nothing": {oauth.Registration{}, func(*oauth.Client) {}},
		"null":    {oauth.Registration{Name: optional.Null[string]()}, func(*oauth.Client) {}},
		"a name":  {oauth.Registration{Name: optional.Some("App")}, func(c *oauth.Client) { c.Name = "App" }},
		"no redirect URIs": {oauth.Registration{RedirectURIs: &[]string{}},
			func(c *oauth.Client) { c.RedirectURIs = nil }},
		"fewer scopes": {oauth.Registration{Scopes: &[]string{"refunds.write"}}, func(c *oauth.Client) {
			c.Scopes, c.Approved = []string{"refunds.write"}, []string{"refunds.write"}
		}},
	} {
		want := before
		c.want(&want)
		if got, err := before.With(c.change); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	if _, err := before.With(oauth.Registration{Name: optional.Some("")}); failure.Of(err).Param != "name" {
		t.Errorf("an empty name: got %v, want it refused", err)
	}
}

// TestClient_ApprovedFor checks contract §2.1 for restricted scopes.
func TestClient_ApprovedFor(t *testing.T) {
	t.Parallel()
	c, _ := registerClient(t)
	may := func(c oauth.Client) (all []string) {
		for _, scope := range identity.AllScopes() {
			if c.May(scope) {
				all = append(all, scope)
			}
		}
		return all
	}
	if got := may(c); !slices.Equal(got, []string{"user.profile_readonly"}) {
		t.Errorf("before: got %v, want user.profile_readonly alone", got)
	}
	approved, err := c.ApprovedFor([]string{"payments"})
	if got := may(approved); err != nil || !slices.Equal(got, []string{"payments", "user.profile_readonly"}) {
		t.Errorf("approved: got %v, %v, want payments and user.profile_readonly", got, err)
	}
	none, err := approved.ApprovedFor(nil)
	if err != nil || !cmp.Equal(none, c) {
		t.Errorf("taken back: got %+v, %v, want %+v", none, err, c)
	}
	for _, wrong := range []string{"payment_instruments", "user.profile_readonly", "profile", "paiments"} {
		got, refused := approved.ApprovedFor([]string{wrong})
		if failure.Of(refused).Param != "scopes" || !cmp.Equal(got, approved) {
			t.Errorf("%s: got %v, want it refused", wrong, refused)
		}
	}
	without, err := approved.With(newRegistration(withScopes("refunds.write")))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := without.With(newRegistration()); err != nil || again.May("payments") {
		t.Errorf("a scope that was given up and comes again: got %v, want it without approval", err)
	}
}

func TestClient_Rotated(t *testing.T) {
	t.Parallel()
	first, one := registerClient(t)
	second, err := first.Rotated("two", false, now)
	if err != nil {
		t.Fatal(err)
	}
	third, err := second.Rotated("three", false, now.Add(oauth.SecretOverlap))
	if err != nil {
		t.Fatal(err)
	}
	leaked, err := second.Rotated("four", true, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client oauth.Client
		text   string
		after  time.Duration
		want   bool
	}{
		{second, one, oauth.SecretOverlap - 1, true}, {second, one, oauth.SecretOverlap, false}, {second, "two", 0, true},
		{third, one, 0, false}, {third, "two", 2*oauth.SecretOverlap - 1, true}, {third, "three", 0, true},
		{leaked, one, 0, false}, {leaked, "two", 0, false}, {leaked, "four", 0, true},
		{leaked, "", 0, false}, {oauth.Client{}, "", 0, false},
	} {
		if got := c.client.Authenticates(secret.New(c.text), now.Add(c.after)); got != c.want {
			t.Errorf("after %s, secret %q: got %t, want %t", c.after, c.text, got, c.want)
		}
	}
	if _, err := second.Rotated("three", false, now.Add(oauth.SecretOverlap-1)); !failure.Is(err, failure.KindConflict) {
		t.Errorf("within a day: got %v, want Conflict", err)
	}
}

func TestClient_Ended(t *testing.T) {
	t.Parallel()
	c, text := registerClient(t)
	revoked := c.Ended(now)
	if again := revoked.Ended(now.Add(time.Hour)); !cmp.Equal(again, revoked) ||
		revoked.Authenticates(secret.New(text), now) {
		t.Errorf("got %+v, want it revoked at %s and its secret refused", again, now)
	}
	_, updated := revoked.With(newRegistration())
	_, approved := revoked.ApprovedFor(nil)
	_, rotated := revoked.Rotated("two", true, now)
	for name, err := range map[string]error{"updated": updated, "approved": approved, "rotated": rotated} {
		if !failure.Is(err, failure.KindConflict) {
			t.Errorf("%s: got %v, want Conflict", name, err)
		}
	}
}

// TestClient_SameScopeOrder checks that the order of scopes does not matter, because the table stores them as a set.
func TestClient_SameScopeOrder(t *testing.T) {
	t.Parallel()
	c, _ := registerClient(t)
	other := c
	other.Version, other.UpdatedAt = 7, now
	other.Scopes = []string{"user.profile_readonly", "refunds.write", "payments"}
	if !c.Same(other) {
		t.Errorf("got another, want the same: %+v", other)
	}
	other.Approved = []string{"payments"}
	if c.Same(other) {
		t.Errorf("with an approval: got the same, want another: %+v", other)
	}
}
