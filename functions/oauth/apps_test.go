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

// apps is a shop with an OAuth client, and a person who allows it something.
type apps struct {
	world.Shop

	client oauth.Client
	secret string
	person member.Member // a user
}

// reading are scopes that the person allows in most tests.
var reading = []string{"transactions.history", "user.profile_readonly"}

func newApps(t testing.TB) apps {
	t.Helper()
	a := apps{Shop: world.NewShop(t)}
	a.client, a.secret = a.RegisterClient()
	a.person = a.Person("grace@example.com", member.RoleAdmin)
	return a
}

// another is the shop with another client.
func (a apps) another(change ...func(*oauth.Client)) apps {
	a.Helper()
	a.client, a.secret = a.RegisterClient(change...)
	return a
}

// tokens are what createToken gives.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Lasts   int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// form is the request of a client that authenticates itself in the body.
func (a apps) form(path string, fields url.Values) world.Request {
	body := url.Values{"client_id": {a.client.ID}, "client_secret": {a.secret}}
	maps.Copy(body, fields)
	return world.Request{Method: http.MethodPost, Path: path, APIKey: world.NoKey, Body: body}
}

// post sends it. Empty fields count as absent.
func (a apps) post(path string, fields url.Values) world.Response {
	a.Helper()
	return a.Do(a.form(path, fields))
}

// basic is the header by which a client authenticates itself (RFC 6749 §2.3.1).
func basic(id, secret string) string {
	text := url.QueryEscape(id) + ":" + url.QueryEscape(secret)
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
}

// got are the tokens of a response, which must be found nowhere else.
func (a apps) got(r world.Response) tokens {
	a.Helper()
	t := world.Into[tokens](a, http.StatusOK, r)
	a.Secret("access token", t.Access)
	if t.Refresh != "" {
		a.Secret("refresh token", t.Refresh)
	}
	return t
}

// code is one that the person has allowed the client.
func (a apps) code(change ...func(*oauth.Code)) string {
	a.Helper()
	return a.Code(a.client, a.Holder(a.person, reading...), change...)
}

// redeeming are the fields of a request that redeems the code.
func redeeming(code string, change ...string) url.Values {
	return with(url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {world.AppRedirect}}, change...)
}

// refreshing are those of a request that uses the refresh token.
func refreshing(token string, change ...string) url.Values {
	return with(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}, change...)
}

// with is the form with pairs of names and values set.
func with(form url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// allowed are tokens that a code of the person's gave.
func (a apps) allowed() tokens {
	a.Helper()
	return a.got(a.post("/token", redeeming(a.code())))
}

// refused checks that a response is a refusal with the status and the error.
func (a apps) refused(what string, r world.Response, status int, code string) {
	a.Helper()
	if r.Status != status || r.Text("error") != code || r.Text("error_description") == "" ||
		r.Header.Get("Cache-Control") != "no-store" {
		a.Errorf("%s: got %d %s, Cache-Control %q, want %d %s and no-store", what, r.Status, r.Body,
			r.Header.Get("Cache-Control"), status, code)
	}
}

// invalidGrant checks that a response is the refusal invalid_grant.
func (a apps) invalidGrant(what string, r world.Response) {
	a.Helper()
	a.refused(what, r, http.StatusBadRequest, oauth.InvalidGrant)
}

// use sends a request with the access token: it needs transactions.history.
func (a apps) use(access string) world.Response {
	a.Helper()
	return a.WithKey(access).Send(http.MethodGet, "/v2.1/merchants/"+a.Merchant.Code+"/transactions/history", nil)
}

// works checks whether the API takes the access token, or refuses it with the problem.
func (a apps) works(when, access, problem string) {
	a.Helper()
	got, status, kind := a.use(access), http.StatusOK, ""
	if problem != "" {
		status, kind = http.StatusUnauthorized, "http://cashwrap.test/problems/"+problem
	}
	if got.Status != status || got.Text("type") != kind {
		a.Errorf("%s: got %d %s, want 200, or 401 %s if that is not empty", when, got.Status, got.Body, problem)
	}
}

// same compares what is shown.
func same[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// elsewhere is the merchant's tenant in the other mode.
func elsewhere(t identity.Tenant) identity.Tenant {
	t.Mode = map[identity.Mode]identity.Mode{identity.Live: identity.Test, identity.Test: identity.Live}[t.Mode]
	return t
}

func hashOf(token string) string { return identity.Hash(token) }

// passwordsOfAddress is the bucket of contract §2.9.
var passwordsOfAddress = store.Bucket{Every: 6 * time.Minute, Burst: 10}
