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

// needing are requests for which a client must authenticate itself.
func (a apps) needing() map[string]url.Values {
	a.Helper()
	return map[string]url.Values{
		"/token":      {"grant_type": {"client_credentials"}},
		"/revoke":     {"token": {"unknown"}},
		"/introspect": {"token": {"unknown"}},
	}
}

// TestClientsThatAreNotAuthenticated look the same, whatever is wrong (RFC 6749 §5.2).
func TestClientsThatAreNotAuthenticated(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	revoked := a.another()
	a.ChangeClient(revoked.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	other := a.another()
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
		for path, fields := range a.needing() {
			form := maps.Clone(fields)
			r := world.Request{Method: http.MethodPost, Path: path, APIKey: world.NoKey, Body: form}
			by(&r, form)
			got := a.Do(r)
			a.refused(name+", "+path, got, http.StatusUnauthorized, oauth.InvalidClient)
			same(t, name+", "+path, `{"error":"invalid_client","error_description":`+
				`"The client is unknown, or its secret is wrong."}`, string(got.Body))
			same(t, name+", "+path, `Basic realm="OAuth client"`, got.Header.Get("WWW-Authenticate"))
		}
	}
}

// TestAClientAuthenticatesOnce, not in two ways (RFC 6749 §2.3).
func TestAClientAuthenticatesOnce(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	other := a.another()
	for path, fields := range a.needing() {
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
			a.refused(path+" "+name, got, http.StatusBadRequest, oauth.InvalidRequest)
		}
	}
}

// TestSecretsAreTakenOver: after a client got another secret, the one before works for a day.
func TestSecretsAreTakenOver(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	renewed := a
	renewed.secret = "another secret of the client, with + and %"
	a.Secret("client secret", renewed.secret)
	a.ChangeClient(a.client, func(c *oauth.Client) {
		c.PreviousHash, c.PreviousUntil = c.SecretHash, a.Clock.Now().Add(oauth.SecretOverlap)
		c.SecretHash = identity.Hash(renewed.secret)
	})
	a.got(a.post("/token", a.needing()["/token"]))
	a.got(renewed.post("/token", a.needing()["/token"]))
	a.got(a.Do(world.Request{Method: http.MethodPost, Path: "/token", APIKey: world.NoKey, Body: a.needing()["/token"],
		Header: map[string]string{"Authorization": basic(a.client.ID, renewed.secret)}}))
	a.Clock.Advance(24 * time.Hour)
	a.refused("the one before", a.post("/token", a.needing()["/token"]), 401, oauth.InvalidClient)
	a.got(renewed.post("/token", a.needing()["/token"]))
}

// TestNoTokenInAnAddress: neither for a grant nor at the API (RFC 9700 §4.3.2).
func TestNoTokenInAnAddress(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	got := a.allowed()
	r := a.form("/token", url.Values{"grant_type": {"refresh_token"}})
	r.Path += "?refresh_token=" + got.Refresh
	a.refused("refresh token", a.Do(r), 400, oauth.InvalidRequest)
	r = a.form("/revoke", nil)
	r.Path += "?token=" + got.Refresh
	a.refused("to revoke", a.Do(r), 400, oauth.InvalidRequest)
	path := "/v2.1/merchants/" + a.Merchant.Code + "/transactions/history?access_token=" + got.Access
	if r := a.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}); r.Status != http.StatusUnauthorized {
		t.Errorf("got %d %s, want 401", r.Status, r.Body)
	}
	for _, path := range []string{"/token", "/revoke", "/introspect"} {
		a.Want("GET "+path, http.StatusMethodNotAllowed,
			a.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}))
	}
}

// TestAClientActsForItself: for its own merchant, with no person and no refresh token
// (contract §10).
func TestAClientActsForItself(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	got := a.got(a.post("/token", url.Values{"grant_type": {"client_credentials"},
		"scope": {"transactions.history email"}}))
	same(t, "tokens", tokens{got.Access, "Bearer", 3600, "", "email transactions.history"}, got)
	a.works("its own merchant", got.Access, "")
	history := "/v2.1/merchants/" + a.Other.Code + "/transactions/history"
	a.Want("another merchant", http.StatusNotFound, a.WithKey(got.Access).Send("GET", history, nil))
	a.Want("another scope", http.StatusForbidden, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts", nil))
	byDefault := a.got(a.post("/token", url.Values{"grant_type": {"client_credentials"}}))
	if want := "transactions.history user.app-settings user.profile_readonly"; byDefault.Scope != want {
		t.Errorf("got scope %q, want %q", byDefault.Scope, want)
	}
	unapproved := a.another(func(c *oauth.Client) { c.Approved = nil })
	for _, scope := range []string{"payments", "checkouts.write", "everything", "email payments"} {
		r := unapproved.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {scope}})
		a.refused(scope, r, 400, oauth.InvalidScope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	a.works("revoked", got.Access, "not-authorised-token")
}

// TestModesStayApart: a client of live mode has no token for test mode, and the reverse.
func TestModesStayApart(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	live := a.another(func(c *oauth.Client) { c.Tenant = elsewhere(c.Tenant) })
	got := a.got(live.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	checkout := a.Create("10", nil)
	a.Want("a live token", http.StatusNotFound, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts/"+checkout, nil))
	own := a.got(a.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}}))
	a.Want("a test token", http.StatusOK, a.WithKey(own.Access).Send("GET", "/v0.1/checkouts/"+checkout, nil))
}
