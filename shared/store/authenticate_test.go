package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// register stores an OAuth client, unless it is stored already.
func register(t *testing.T, s *store.Store, id string) {
	t.Helper()
	_, err := s.OAuthClient(t.Context(), id)
	if failure.Is(err, failure.KindNotFound) {
		_, err = s.CreateOAuthClient(t.Context(), byTest, oauth.Client{ID: id, Tenant: tenant, Scopes: identity.AllScopes(),
			Approved: identity.AllScopes(), CreatedAt: s.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// issueToken stores an access token of the member, and returns the token that its bearer sends.
func issueToken(t *testing.T, s *store.Store, m member.Member, change ...func(*identity.AccessToken)) identity.Token {
	t.Helper()
	token := identity.AccessToken{Hash: identity.Hash(m.ID + t.Name()), Kind: m.Kind(), Subject: m.ID, Client: "till app",
		Tenant: tenant, Scopes: []string{"payments"}, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(time.Hour)}
	for _, set := range change {
		set(&token)
	}
	register(t, s, token.Client)
	if err := s.PutAccessToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	return identity.Token{Hash: token.Hash}
}

func wantRefused(t *testing.T, s *store.Store, token identity.Token, when string) {
	t.Helper()
	if p, _, err := s.Authenticate(t.Context(), token, ""); !failure.Is(err, failure.KindUnauthorized) {
		t.Errorf("%s: got %+v, error %v, want Unauthorized", when, p, err)
	}
}

func TestAuthenticate_MemberToken(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	m := employ(t, s, "till@example.com")
	token := issueToken(t, s, m)
	want := identity.Principal{Actor: identity.Actor{Kind: identity.Operator, ID: m.ID}, Tenant: tenant,
		Scopes: []string{"payments"}, Permissions: []identity.Permission{}, Email: "till@example.com", Client: "till app",
		Expires:  s.Now().Add(time.Hour).Truncate(time.Second),
		Admitted: identity.Admission{Hash: token.Hash, Client: 1, Version: 1}}
	got, owner, err := s.Authenticate(t.Context(), token, "")
	if diff := cmp.Diff(want, got); err != nil || diff != "" || owner.Code != tenant.Merchant {
		t.Errorf("got merchant %q, error %v, and (-want +got):\n%s", owner.Code, err, diff)
	}
	disable := func(m member.Member, _ member.Roles) (member.Member, error) { return m.Enabled(false, s.Now()), nil }
	if _, err := s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys, disable); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, s, token, "disabled")
}

func TestAuthenticate_RefusedTokens(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	m := employ(t, s, "till@example.com")
	for name, change := range map[string]func(*identity.AccessToken){
		"expired":             func(t *identity.AccessToken) { t.ExpiresAt = s.Now() },
		"of another member":   func(t *identity.AccessToken) { t.Subject = member.ID("another", 0) },
		"of another kind":     func(t *identity.AccessToken) { t.Kind = identity.User },
		"of another merchant": func(t *identity.AccessToken) { t.Tenant.Merchant = "MC9Z9Z9Z9Z" },
		"of another mode":     func(t *identity.AccessToken) { t.Tenant.Mode = identity.Live },
		"of a client of an unknown merchant": func(t *identity.AccessToken) {
			t.Kind, t.Tenant.Merchant = identity.Client, "MC9Z9Z9Z9Z"
		},
		"of a live test profile": func(t *identity.AccessToken) {
			t.Kind, t.Tenant.Mode = identity.TestProfile, identity.Live
		},
	} {
		wantRefused(t, s, issueToken(t, s, m, change, func(t *identity.AccessToken) { t.Hash = identity.Hash(name) }), name)
	}
	wantRefused(t, s, identity.Token{Hash: identity.Hash("nobody's")}, "unknown")
	token := issueToken(t, s, m)
	if _, _, err := s.Authenticate(t.Context(), token, ""); err != nil {
		t.Errorf("got error %v, want none before it is revoked", err)
	}
	for range 2 {
		if err := s.RevokeAccessToken(t.Context(), token.Hash); err != nil {
			t.Error(err)
		}
	}
	wantRefused(t, s, token, "revoked")
}

// issueGrantToken stores a grant and an access token under it, as the exchange of an authorization code does.
func issueGrantToken(t *testing.T, s *store.Store, m member.Member) identity.Token {
	t.Helper()
	token := identity.Token{Hash: identity.Hash("token of " + m.ID)}
	h := oauth.Holder{Client: "till app", Kind: m.Kind(), Subject: m.ID, Tenant: tenant, Scopes: []string{"payments"}}
	g := h.NewGrant(identity.Hash("refresh token of "+m.ID), s.Now())
	register(t, s, h.Client)
	if err := s.PutGrant(t.Context(), g, h.Token(token.Hash, g.Hash, h.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	return token
}

func revokeClient(t *testing.T, s *store.Store, id string) {
	t.Helper()
	if _, err := s.UpdateOAuthClient(t.Context(), byTest, id, func(c oauth.Client) (oauth.Client, error) {
		c.RevokedAt = s.Now()
		return c, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAuthenticate_RevokedClient checks that tokens of each kind are refused if their client is revoked or missing.
func TestAuthenticate_RevokedClient(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	m := employ(t, s, "till@example.com")
	own := func(to *identity.AccessToken) {
		to.Hash, to.Kind, to.Subject = identity.Hash("own"), identity.Client, "till app"
	}
	tokens := map[string]identity.Token{"of a person": issueToken(t, s, m), "with a grant": issueGrantToken(t, s, m),
		"its own": issueToken(t, s, m, own)}
	for name, token := range tokens {
		if _, _, err := s.Authenticate(t.Context(), token, ""); err != nil {
			t.Errorf("%s: got error %v, want none before it is revoked", name, err)
		}
	}
	unknown := issueToken(t, s, m, own, func(to *identity.AccessToken) { to.Hash = identity.Hash("unknown") })
	_, table := s.Raw()
	if err := table.Update("pk", "TOKEN#"+unknown.Hash).Range("sk", "TOKEN").Set("client", "unknown").
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tokens["of an unknown client"] = unknown
	revokeClient(t, s, "till app")
	for name, token := range tokens {
		_, _, err := s.Authenticate(t.Context(), token, "")
		if got := failure.Of(err); got.Kind != failure.KindUnauthorized || got.Slug != "not-authorised-token" {
			t.Errorf("%s: got error %v %q, want not-authorised-token", name, err, got.Slug)
		}
	}
}

// TestAuthenticate_RevokedGrant checks that the grant's tokens alone are refused, from the next request on.
func TestAuthenticate_RevokedGrant(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	till, other := employ(t, s, "till@example.com", "1"), employ(t, s, "other@example.com", "2")
	token, stays := issueGrantToken(t, s, till), issueGrantToken(t, s, other)
	authenticate(t, s, token)
	for range 2 {
		if err := s.RevokeGrant(t.Context(), identity.Hash("refresh token of "+till.ID)); err != nil {
			t.Error(err)
		}
	}
	wantRefused(t, s, token, "its grant is revoked")
	authenticate(t, s, stays)
}

// TestAuthenticate_ClientLosesScope takes the approval of a scope from a token's client. It checks that the next
// request lacks the scope, and that a write is refused if its request was authenticated before.
func TestAuthenticate_ClientLosesScope(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	m := employ(t, s, "till@example.com")
	token := issueToken(t, s, m, func(t *identity.AccessToken) { t.Scopes = []string{"payments", "user.profile"} })
	before, _, err := s.Authenticate(t.Context(), token, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.UpdateOAuthClient(t.Context(), byTest, "till app", func(c oauth.Client) (oauth.Client, error) {
		c.Approved = nil
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := s.Authenticate(t.Context(), token, "")
	if diff := cmp.Diff([]string{"user.profile"}, after.Scopes); err != nil || diff != "" {
		t.Errorf("got error %v, and (-want +got):\n%s", err, diff)
	}
	role := member.Role{ID: "role_late", Name: "Late", Permissions: []identity.Permission{identity.MembersRead}}
	_, err = s.CreateRole(t.Context(), as(before), tenant, role, func() error { return nil })
	if !errors.Is(err, store.ErrCallerChanged) {
		t.Errorf("a write with the rights of before: got error %v, want %v", err, store.ErrCallerChanged)
	}
}
