package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// revoke revokes a token, with an optional hint of its type.
func (a apps) revoke(token string, hint ...string) world.Response {
	a.Helper()
	form := url.Values{"token": {token}}
	for _, h := range hint {
		form.Set("token_type_hint", h)
	}
	return a.post("/revoke", form)
}

// wantEmpty checks that a response is an empty 200.
func (a apps) wantEmpty(what string, r world.Response) {
	a.Helper()
	if r.Status != http.StatusOK || len(r.Body) > 0 || r.Header.Get("Content-Length") != "0" ||
		r.Header.Get("Cache-Control") != "no-store" {
		a.Errorf("%s: got %d %s with headers %v, want 200, empty and not stored", what, r.Status, r.Body, r.Header)
	}
}

// TestRevokeToken_RefreshToken checks that all access tokens of the refresh token end at once (RFC 7009 §2).
func TestRevokeToken_RefreshToken(t *testing.T) {
	t.Parallel()
	for _, hint := range [][]string{nil, {"refresh_token"}, {"access_token"}, {"unknown"}} {
		a := newApps(t)
		first, others := a.createTokens(), a.createTokens()
		second := a.readTokens(a.post("/token", refreshBody(first.Refresh)))
		for range 2 { // the request may be repeated
			a.wantEmpty("revoke", a.revoke(first.Refresh, hint...))
		}
		a.wantAccess("the first", first.Access, "invalid-token")
		a.wantAccess("a refreshed one", second.Access, "invalid-token")
		a.wantInvalidGrant("refresh", a.post("/token", refreshBody(first.Refresh)))
		a.wantAccess("another grant's", others.Access, "")
		a.readTokens(a.post("/token", refreshBody(others.Refresh)))
	}
}

// TestRevokeToken_AccessToken checks that other tokens stay valid.
func TestRevokeToken_AccessToken(t *testing.T) {
	t.Parallel()
	for _, hint := range [][]string{nil, {"access_token"}, {"refresh_token"}} {
		a := newApps(t)
		first := a.createTokens()
		second := a.readTokens(a.post("/token", refreshBody(first.Refresh)))
		own := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"}}))
		for range 2 {
			a.wantEmpty("revoke", a.revoke(first.Access, hint...))
			a.wantEmpty("revoke its own", a.revoke(own.Access, hint...))
		}
		a.wantAccess("the first", first.Access, "invalid-token")
		a.wantAccess("its own", own.Access, "invalid-token")
		a.wantAccess("a refreshed one", second.Access, "")
		a.readTokens(a.post("/token", refreshBody(first.Refresh)))
	}
}

// TestRevokeToken_OthersTokens checks that a client can revoke neither another client's tokens (RFC 7009 §2.1) nor an
// API key. An unknown token counts as revoked.
func TestRevokeToken_OthersTokens(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	other := a.newClient()
	a.wantInvalidGrant("access token", other.revoke(first.Access))
	a.wantInvalidGrant("refresh token", other.revoke(first.Refresh))
	a.wantAccess("it", first.Access, "")
	a.readTokens(a.post("/token", refreshBody(first.Refresh)))
	for name, token := range map[string]string{"unknown": "guessed", "a hash": hashOf(first.Refresh),
		"an API key": a.Merchant.Key.Plaintext, "an unknown access token": hashOf("guessed"), "a code": a.createCode()} {
		a.wantEmpty(name, a.revoke(token))
	}
	a.Want("with the API key", http.StatusOK, a.Send("GET", "/v0.1/memberships", nil))
	a.wantRefused("none", a.revoke(""), 400, oauth.InvalidRequest)
	a.Clock.Advance(180 * 24 * time.Hour)
	a.wantEmpty("an expired access token", other.revoke(first.Access))
	a.wantEmpty("an expired refresh token", other.revoke(first.Refresh))
}

// TestMerchantToken_UnknownToClients checks that no client can introspect or revoke a merchant token, not even the
// client that created the token (contract §8.5).
func TestMerchantToken_UnknownToClients(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	own := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	for name, token := range map[string]string{"a key's": a.MerchantToken(),
		"the client's": a.WithKey(own.Access).MerchantToken()} {
		for _, client := range []apps{a, a.newClient()} {
			client.wantInactive(name, token)
			client.wantEmpty(name, client.revoke(token))
		}
		a.WithKey(token).Create("10.10", nil)
	}
}

// TestRevokeToken_JSON sends JSON with the client's credentials in a header.
func TestRevokeToken_JSON(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	a.wantEmpty("revoke", a.Do(world.Request{Method: "POST", Path: "/revoke", APIKey: world.NoKey,
		Header: map[string]string{"Authorization": basic(a.client.ID, a.secret)},
		Body:   map[string]any{"token": first.Refresh, "token_type_hint": nil}}))
	a.wantAccess("it", first.Access, "invalid-token")
}
