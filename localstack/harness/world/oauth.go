package world

import (
	"crypto/rand"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// AppRedirect is the redirect_uri of the clients that RegisterClient creates.
const AppRedirect = "https://app.example/callback"

// byOperation returns the author of writes that the world makes itself instead of sending the operation's request. The
// audit records the operation.
func byOperation(operation string) audit.By {
	return audit.ByPlatform(audit.Actor{Kind: audit.Command, Request: rand.Text()}, operation)
}

// ByTest is the author of a test's own writes.
var ByTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")

// RegisterClient creates an OAuth client in test mode with all scopes. The functions in change can change the client
// first. It returns the client and its secret.
func (s Shop) RegisterClient(change ...func(*oauth.Client)) (oauth.Client, string) {
	s.Helper()
	id, err := oauth.NewID(rand.Reader)
	s.must(err)
	text := s.newSecretText("client secret")
	c := oauth.Client{ID: id, Name: "App", Tenant: s.Tenant(), RedirectURIs: []string{AppRedirect},
		Scopes: identity.AllScopes(), Approved: identity.AllScopes(), SecretHash: identity.Hash(text),
		CreatedAt: s.App.Store.Now()}
	for _, set := range change {
		set(&c)
	}
	c, err = s.App.Store.CreateOAuthClient(s.Context(), byOperation("create_oauth_client"), c)
	s.must(err)
	return c, text
}

// ChangeClient changes an OAuth client, as an operator does.
func (s Shop) ChangeClient(c oauth.Client, change func(*oauth.Client)) {
	s.Helper()
	changed := func(c oauth.Client) (oauth.Client, error) {
		change(&c)
		return c, nil
	}
	_, err := s.App.Store.UpdateOAuthClient(s.Context(), byOperation("update_oauth_client"), c.ID, changed)
	s.must(err)
}

// newSecretText returns a random text that must not occur in stored or logged data.
func (s Shop) newSecretText(what string) string {
	s.Helper()
	text, err := oauth.NewSecret(rand.Reader)
	s.must(err)
	s.Secret(what, text)
	return text
}

// Code creates an authorization code as if the holder had given consent. By default the code is for the first redirect
// URI and without PKCE.
func (s Shop) Code(c oauth.Client, h oauth.Holder, change ...func(*oauth.Code)) string {
	s.Helper()
	text := s.newSecretText("authorization code")
	h.Client = c.ID
	code := oauth.Code{Holder: h, Hash: identity.Hash(text), RedirectURI: c.RedirectURIs[0],
		CreatedAt: s.App.Store.Now(), ExpiresAt: s.App.Store.Now().Add(oauth.CodeLasts)}
	for _, set := range change {
		set(&code)
	}
	s.must(s.App.Store.PutCode(s.Context(), code))
	return text
}

// Holder returns the member as the holder of a grant with the scopes.
func (s Shop) Holder(m member.Member, scopes ...string) oauth.Holder {
	s.Helper()
	passwords := m.Passwords
	if m.UserID != "" {
		u, err := s.App.Store.User(s.Context(), m.UserID)
		s.must(err)
		passwords = u.Passwords
	}
	return oauth.Holder{Kind: m.Kind(), Subject: m.ID, User: m.UserID, Tenant: s.Tenant(), Scopes: scopes,
		Password: passwords.Current(), SignedIn: s.signInTime(m)}
}
