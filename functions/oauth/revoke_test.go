package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// revoke revokes a token, perhaps with a hint of its type.
func (a apps) revoke(token string, hint ...string) world.Response {
	a.Helper()
	form := url.Values{"token": {token}}
	for _, h := range hint {
		form.Set("token_type_hint", h)
	}
	return a.post("/revoke", form)
}

// done checks that a response is an empty 200.
func (a apps) done(what string, r world.Response) {
	a.Helper()
	if r.Status != http.StatusOK || len(r.Body) > 0 || r.Header.Get("Content-Length") != "0" ||
		r.Header.Get("Cache-Control") != "no-store" {
		a.Errorf("%s: got %d %s with headers %v, want 200, empty and not stored", what, r.Status, r.Body, r.Header)
	}
}

// TestARevokedRefreshToken takes all its access tokens with it, at once (RFC 7009 §2).
func TestARevokedRefreshToken(t *testing.T) {
	t.Parallel()
	for _, hint := range [][]string{nil, {"refresh_token"}, {"access_token"}, {"unknown"}} {
		a := newApps(t)
		first, others := a.allowed(), a.allowed()
		second := a.got(a.post("/token", refreshing(first.Refresh)))
		for range 2 { // it may be repeated
			a.done("revoke", a.revoke(first.Refresh, hint...))
		}
		a.works("the first", first.Access, "invalid-token")
		a.works("a refreshed one", second.Access, "invalid-token")
		a.invalidGrant("refresh", a.post("/token", refreshing(first.Refresh)))
		a.works("another grant's", others.Access, "")
		a.got(a.post("/token", refreshing(others.Refresh)))
	}
}

// TestARevokedAccessToken is revoked alone.
func TestARevokedAccessToken(t *testing.T) {
	t.Parallel()
	for _, hint := range [][]string{nil, {"access_token"}, {"refresh_token"}} {
		a := newApps(t)
		first := a.allowed()
		second := a.got(a.post("/token", refreshing(first.Refresh)))
		own := a.got(a.post("/token", url.Values{"grant_type": {"client_credentials"}}))
		for range 2 {
			a.done("revoke", a.revoke(first.Access, hint...))
			a.done("revoke its own", a.revoke(own.Access, hint...))
		}
		a.works("the first", first.Access, "invalid-token")
		a.works("its own", own.Access, "invalid-token")
		a.works("a refreshed one", second.Access, "")
		a.got(a.post("/token", refreshing(first.Refresh)))
	}
}

// TestNobodyRevokesAnothersTokens (RFC 7009 §2.1), nor an API key. What is unknown is revoked already.
func TestNobodyRevokesAnothersTokens(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	other := a.another()
	a.invalidGrant("access token", other.revoke(first.Access))
	a.invalidGrant("refresh token", other.revoke(first.Refresh))
	a.works("it", first.Access, "")
	a.got(a.post("/token", refreshing(first.Refresh)))
	for name, token := range map[string]string{"unknown": "guessed", "a hash": hashOf(first.Refresh),
		"an API key": a.Merchant.Key.Plaintext, "an unknown access token": hashOf("guessed"), "a code": a.code()} {
		a.done(name, a.revoke(token))
	}
	a.Want("with the API key", http.StatusOK, a.Send("GET", "/v0.1/memberships", nil))
	a.refused("none", a.revoke(""), 400, oauth.InvalidRequest)
	a.Clock.Advance(180 * 24 * time.Hour)
	a.done("an expired access token", other.revoke(first.Access))
	a.done("an expired refresh token", other.revoke(first.Refresh))
}

// TestClientsKnowNoMerchantTokens, not even those that they have made (contract §8.5).
func TestClientsKnowNoMerchantTokens(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	own := a.got(a.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	for name, token := range map[string]string{"a key's": a.MerchantToken(),
		"the client's": a.WithKey(own.Access).MerchantToken()} {
		for _, client := range []apps{a, a.another()} {
			client.inactive(name, token)
			client.done(name, client.revoke(token))
		}
		a.WithKey(token).Create("10.10", nil)
	}
}

// TestRevokedByJSON, with the client's credentials in a header.
func TestRevokedByJSON(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	a.done("revoke", a.Do(world.Request{Method: "POST", Path: "/revoke", APIKey: world.NoKey,
		Header: map[string]string{"Authorization": basic(a.client.ID, a.secret)},
		Body:   map[string]any{"token": first.Refresh, "token_type_hint": nil}}))
	a.works("it", first.Access, "invalid-token")
}
