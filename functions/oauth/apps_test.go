package oauth_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// apps is a shop with an OAuth client, and a person who allows the client to act.
type apps struct {
	world.Shop

	client oauth.Client
	secret string
	person member.Member // a user
}

// reading lists the scopes that the person allows in most tests.
var reading = []string{"transactions.history", "user.profile_readonly"}

func newApps(t testing.TB) apps {
	t.Helper()
	a := apps{Shop: world.NewShop(t)}
	a.client, a.secret = a.RegisterClient()
	a.person = a.Person("grace@example.com", member.RoleAdmin)
	return a
}

// newClient returns the shop with a new client.
func (a apps) newClient(change ...func(*oauth.Client)) apps {
	a.Helper()
	a.client, a.secret = a.RegisterClient(change...)
	return a
}

// tokens is the reply of createToken.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Lasts   int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// form returns the request of a client that authenticates in the body.
func (a apps) form(path string, fields url.Values) world.Request {
	body := url.Values{"client_id": {a.client.ID}, "client_secret": {a.secret}}
	maps.Copy(body, fields)
	return world.Request{Method: http.MethodPost, Path: path, APIKey: world.NoKey, Body: body}
}

// post sends a form. Empty fields count as absent.
func (a apps) post(path string, fields url.Values) world.Response {
	a.Helper()
	return a.Do(a.form(path, fields))
}

// basic returns the Authorization header of a client (RFC 6749 §2.3.1).
func basic(id, secret string) string {
	text := url.QueryEscape(id) + ":" + url.QueryEscape(secret)
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
}

// readTokens returns the tokens of a response, and registers them as secrets that must not appear elsewhere.
func (a apps) readTokens(r world.Response) tokens {
	a.Helper()
	t := world.Into[tokens](a, http.StatusOK, r)
	a.Secret("access token", t.Access)
	if t.Refresh != "" {
		a.Secret("refresh token", t.Refresh)
	}
	return t
}

// createCode returns a code that the person has allowed the client.
func (a apps) createCode(change ...func(*oauth.Code)) string {
	a.Helper()
	return a.Code(a.client, a.Holder(a.person, reading...), change...)
}

// codeBody returns the fields of a request that redeems the code.
func codeBody(code string, change ...string) url.Values {
	return withFields(url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {world.AppRedirect}}, change...)
}

// refreshBody returns the fields of a request that uses the refresh token.
func refreshBody(token string, change ...string) url.Values {
	return withFields(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}, change...)
}

// withFields sets pairs of names and values in the form.
func withFields(form url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// createTokens redeems a code of the person.
func (a apps) createTokens() tokens {
	a.Helper()
	return a.readTokens(a.post("/token", codeBody(a.createCode())))
}

// wantRefused checks that a response is a refusal with the status and the error.
func (a apps) wantRefused(what string, r world.Response, status int, code string) {
	a.Helper()
	if r.Status != status || r.Text("error") != code || r.Text("error_description") == "" ||
		r.Header.Get("Cache-Control") != "no-store" {
		a.Errorf("%s: got %d %s, Cache-Control %q, want %d %s and no-store", what, r.Status, r.Body,
			r.Header.Get("Cache-Control"), status, code)
	}
}

// wantInvalidGrant checks that a response is the refusal invalid_grant.
func (a apps) wantInvalidGrant(what string, r world.Response) {
	a.Helper()
	a.wantRefused(what, r, http.StatusBadRequest, oauth.InvalidGrant)
}

// callAPI sends a request with the access token. The request needs transactions.history.
func (a apps) callAPI(access string) world.Response {
	a.Helper()
	return a.WithKey(access).Send(http.MethodGet, "/v2.1/merchants/"+a.Merchant.Code+"/transactions/history", nil)
}

// wantAccess checks that the API accepts the access token, or refuses it with the problem if that is not "".
func (a apps) wantAccess(when, access, problem string) {
	a.Helper()
	got, status, kind := a.callAPI(access), http.StatusOK, ""
	if problem != "" {
		status, kind = http.StatusUnauthorized, "http://cashwrap.test/problems/"+problem
	}
	if got.Status != status || got.Text("type") != kind {
		a.Errorf("%s: got %d %s, want 200, or 401 %s if that is not empty", when, got.Status, got.Body, problem)
	}
}

func wantSame[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// otherMode returns the merchant's tenant in the other mode.
func otherMode(t identity.Tenant) identity.Tenant {
	t.Mode = map[identity.Mode]identity.Mode{identity.Live: identity.Test, identity.Test: identity.Live}[t.Mode]
	return t
}

func hashOf(token string) string { return identity.Hash(token) }

// passwordsOfAddress is the bucket of contract §2.9.
var passwordsOfAddress = store.Bucket{Every: 6 * time.Minute, Burst: 10}
