package oauth_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// authenticatedForms returns requests that require an authenticated client.
func (a apps) authenticatedForms() map[string]url.Values {
	a.Helper()
	return map[string]url.Values{
		"/token":      {"grant_type": {"client_credentials"}},
		"/revoke":     {"token": {"unknown"}},
		"/introspect": {"token": {"unknown"}},
	}
}

// TestClientAuthentication_Failures checks that all failures look the same (RFC 6749 §5.2).
func TestClientAuthentication_Failures(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	revoked := a.newClient()
	a.ChangeClient(revoked.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	other := a.newClient()
	id, right := a.client.ID, a.secret
	inBody := func(id, secret string) func(*world.Request, url.Values) {
		return func(_ *world.Request, form url.Values) {
			form.Set("client_id", id)
			form.Set("client_secret", secret)
		}
	}
	header := func(text string) func(*world.Request, url.Values) {
		return func(r *world.Request, _ url.Values) { r.Header = map[string]string{"Authorization": text} }
	}
	encoded := func(text string) func(*world.Request, url.Values) {
		return header("Basic " + base64.StdEncoding.EncodeToString([]byte(text)))
	}
	for name, by := range map[string]func(*world.Request, url.Values){
		"nobody":                      func(*world.Request, url.Values) {},
		"an unknown client":           inBody("client_aaaaaaaaaaaaaaaaaaaaaaaaaa", right),
		"a wrong secret":              inBody(id, right[1:]+"x"),
		"no secret":                   inBody(id, ""),
		"a secret without a client":   inBody("", right),
		"another client's secret":     inBody(id, other.secret),
		"a revoked client":            inBody(revoked.client.ID, revoked.secret),
		"the hash as secret":          inBody(id, identity.Hash(right)),
		"by header: unknown":          header(basic("client_aaaaaaaaaaaaaaaaaaaaaaaaaa", right)),
		"by header: wrong":            header(basic(id, right+"x")),
		"by header: no secret":        header(basic(id, "")),
		"by header: revoked":          header(basic(revoked.client.ID, revoked.secret)),
		"by header: without a colon":  encoded(id),
		"by header: not base64":       header("Basic %%%"),
		"by header: bad encoding":     encoded(id + ":%zz" + right),
		"by header: bad encoded name": encoded("%zz" + id + ":" + right),
		"by header: another scheme":   header("Bearer " + a.Merchant.Key.Plaintext),
		"in the address": func(r *world.Request, _ url.Values) {
			r.Path += "?" + url.Values{"client_id": {id}, "client_secret": {right}}.Encode()
		},
	} {
		for path, fields := range a.authenticatedForms() {
			form := maps.Clone(fields)
			r := world.Request{Method: http.MethodPost, Path: path, APIKey: world.NoKey, Body: form}
			by(&r, form)
			got := a.Do(r)
			a.wantRefused(name+", "+path, got, http.StatusUnauthorized, oauth.InvalidClient)
			wantSame(t, name+", "+path, `{"error":"invalid_client","error_description":`+
				`"The client is unknown, or its secret is wrong."}`, string(got.Body))
			wantSame(t, name+", "+path, `Basic realm="OAuth client"`, got.Header.Get("WWW-Authenticate"))
		}
	}
}

// TestClientAuthentication_TwoWays checks that a client must not authenticate in two ways (RFC 6749 §2.3).
func TestClientAuthentication_TwoWays(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	other := a.newClient()
	for path, fields := range a.authenticatedForms() {
		for name, more := range map[string]url.Values{
			"twice":            {"client_id": {a.client.ID}, "client_secret": {a.secret}},
			"as two clients":   {"client_id": {other.client.ID}, "client_secret": {other.secret}},
			"as another by id": {"client_id": {other.client.ID}},
			"by two secrets":   {"client_secret": {a.secret}},
		} {
			body := maps.Clone(fields)
			maps.Copy(body, more)
			got := a.Do(world.Request{Method: http.MethodPost, Path: path, APIKey: world.NoKey, Body: body,
				Header: map[string]string{"Authorization": basic(a.client.ID, a.secret)}})
			a.wantRefused(path+" "+name, got, http.StatusBadRequest, oauth.InvalidRequest)
		}
	}
}

// TestClientAuthentication_PreviousSecret checks that the previous secret works for a day after a rotation.
func TestClientAuthentication_PreviousSecret(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	renewed := a
	renewed.secret = "another secret of the client, with + and %"
	a.Secret("client secret", renewed.secret)
	a.ChangeClient(a.client, func(c *oauth.Client) {
		c.PreviousHash, c.PreviousUntil = c.SecretHash, a.Clock.Now().Add(oauth.SecretOverlap)
		c.SecretHash = identity.Hash(renewed.secret)
	})
	a.readTokens(a.post("/token", a.authenticatedForms()["/token"]))
	a.readTokens(renewed.post("/token", a.authenticatedForms()["/token"]))
	a.readTokens(a.Do(world.Request{Method: http.MethodPost, Path: "/token", APIKey: world.NoKey,
		Body:   a.authenticatedForms()["/token"],
		Header: map[string]string{"Authorization": basic(a.client.ID, renewed.secret)}}))
	a.Clock.Advance(24 * time.Hour)
	a.wantRefused("the one before", a.post("/token", a.authenticatedForms()["/token"]), 401, oauth.InvalidClient)
	a.readTokens(renewed.post("/token", a.authenticatedForms()["/token"]))
}

// TestTokens_InURL checks that a token in a URL is refused by createToken, by revokeToken and by the API (RFC 9700
// §4.3.2).
func TestTokens_InURL(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	got := a.createTokens()
	r := a.form("/token", url.Values{"grant_type": {"refresh_token"}})
	r.Path += "?refresh_token=" + got.Refresh
	a.wantRefused("refresh token", a.Do(r), 400, oauth.InvalidRequest)
	r = a.form("/revoke", nil)
	r.Path += "?token=" + got.Refresh
	a.wantRefused("to revoke", a.Do(r), 400, oauth.InvalidRequest)
	path := "/v2.1/merchants/" + a.Merchant.Code + "/transactions/history?access_token=" + got.Access
	if r := a.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}); r.Status != http.StatusUnauthorized {
		t.Errorf("got %d %s, want 401", r.Status, r.Body)
	}
	for _, path := range []string{"/token", "/revoke", "/introspect"} {
		a.Want("GET "+path, http.StatusMethodNotAllowed,
			a.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}))
	}
}

// TestCreateToken_ClientCredentials checks that the token has no person, and that there is no refresh token (contract
// §10).
func TestCreateToken_ClientCredentials(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	got := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"},
		"scope": {"transactions.history email"}}))
	wantSame(t, "tokens", tokens{got.Access, "Bearer", 3600, "", "email transactions.history"}, got)
	a.wantAccess("its own merchant", got.Access, "")
	history := "/v2.1/merchants/" + a.Other.Code + "/transactions/history"
	a.Want("another merchant", http.StatusNotFound, a.WithKey(got.Access).Send("GET", history, nil))
	a.Want("another scope", http.StatusForbidden, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts", nil))
	byDefault := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"}}))
	if want := "transactions.history user.app-settings user.profile_readonly"; byDefault.Scope != want {
		t.Errorf("got scope %q, want %q", byDefault.Scope, want)
	}
	unapproved := a.newClient(func(c *oauth.Client) { c.Approved = nil })
	for _, scope := range []string{"payments", "checkouts.write", "everything", "email payments"} {
		r := unapproved.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {scope}})
		a.wantRefused(scope, r, 400, oauth.InvalidScope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	a.wantAccess("revoked", got.Access, "not-authorised-token")
}

// TestCreateToken_OtherMode checks that a live client's token does not reach test mode. A test client's token does.
func TestCreateToken_OtherMode(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	live := a.newClient(func(c *oauth.Client) { c.Tenant = otherMode(c.Tenant) })
	got := a.readTokens(live.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	checkout := a.Create("10", nil)
	a.Want("a live token", http.StatusNotFound, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts/"+checkout, nil))
	own := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	a.Want("a test token", http.StatusOK, a.WithKey(own.Access).Send("GET", "/v0.1/checkouts/"+checkout, nil))
}
