package world

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Token stores an access token in test mode, and returns its text. By default the token belongs to an OAuth client, has
// all scopes, and expires after an hour. A test profile's token is for a new profile, unless a function in change sets
// the profile's id.
func (s Shop) Token(change ...func(*identity.AccessToken)) string {
	s.Helper()
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := hex.EncodeToString(random)
	t := identity.AccessToken{Hash: identity.Hash(text), Kind: identity.Client, Subject: "client_1", Client: "client_1",
		Tenant: s.Tenant(), Scopes: identity.AllScopes(), SignedIn: s.App.Store.Now(),
		CreatedAt: s.App.Store.Now(), ExpiresAt: s.App.Store.Now().Add(time.Hour)}
	for _, set := range change {
		set(&t)
	}
	if t.Kind == identity.TestProfile && !strings.HasPrefix(t.Subject, member.TestProfilePrefix) {
		t.Subject = s.TestProfile("Token").ID
	}
	s.ensureClient(t)
	s.must(s.storeToken(t))
	s.Secret("access token", text)
	return text
}

// storeToken stores the token. If the token is for a person or a test profile, storeToken also stores a grant.
func (s Shop) storeToken(t identity.AccessToken) error {
	if t.Kind == identity.Client {
		return s.App.Store.PutAccessToken(s.Context(), t)
	}
	t.Grant = identity.Hash("refresh token of " + t.Hash)
	g := oauth.Grant{Hash: t.Grant, CreatedAt: t.CreatedAt, ExpiresAt: t.CreatedAt.Add(oauth.RefreshLasts),
		Holder: oauth.Holder{Client: t.Client, Kind: t.Kind, Subject: t.Subject, User: t.User, Tenant: t.Tenant,
			Scopes: t.Scopes, SignedIn: t.SignedIn}}
	return s.App.Store.PutGrant(s.Context(), g, t)
}

// ensureClient creates the token's client unless it exists. The client belongs to a merchant without other data.
func (s Shop) ensureClient(t identity.AccessToken) {
	s.Helper()
	_, err := s.App.Store.OAuthClient(s.Context(), t.Client)
	if failure.Is(err, failure.KindNotFound) {
		_, err = s.App.Store.CreateOAuthClient(s.Context(), byOperation("create_oauth_client"), oauth.Client{ID: t.Client,
			Name: "App", Tenant: identity.Tenant{Mode: t.Tenant.Mode, Merchant: "MC0APPS000"},
			Scopes: identity.AllScopes(), Approved: identity.AllScopes()})
	}
	if err != nil && !errors.Is(err, store.ErrStale) { // ErrStale: another test goroutine has created the client
		s.Fatal(err)
	}
}

// MerchantToken creates a merchant token with the shop's credential, and returns its text.
func (s Shop) MerchantToken() string {
	s.Helper()
	made := s.Send("POST", "/v0.1/merchants/"+s.Merchant.Code+"/tokens", map[string]any{
		"actions": []identity.Action{identity.CheckoutAction}})
	text := made.Text("access_token")
	if made.Status != 200 || text == "" {
		s.Fatalf("merchant token: got %d %s, want 200 and a token", made.Status, made.Body)
	}
	s.Secret("merchant token", text)
	return text
}

// TokenOf returns an access token of the member with the scopes. Without scopes in the call, the token has all scopes.
func (s Shop) TokenOf(m member.Member, scopes ...string) string {
	s.Helper()
	return s.Token(func(t *identity.AccessToken) {
		t.Kind, t.Subject, t.User, t.Client = m.Kind(), m.ID, m.UserID, "app_1"
		t.SignedIn = s.signInTime(m)
		if len(scopes) > 0 {
			t.Scopes = scopes
		}
	})
}

// signInTime returns the earliest sign-in time, not before now, that is valid for the member's tokens.
func (s Shop) signInTime(m member.Member) time.Time {
	if now := s.App.Store.Now(); m.Honours(now) {
		return now
	}
	return m.AccessSince()
}

// TestProfile creates a test profile.
func (s Shop) TestProfile(name string) member.TestProfile {
	s.Helper()
	p, password, err := member.NewTestProfile(rand.Reader, name, s.App.Store.Now())
	if err == nil {
		p, err = s.App.Store.CreateTestProfile(s.Context(), byOperation("createTestProfile"), s.Tenant(), p,
			s.App.Store.PasswordOf(s.Tenant(), p.ID, password))
	}
	s.must(err)
	s.Secret("test profile's password", password.Reveal())
	return p
}
