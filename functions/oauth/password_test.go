package oauth_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// createProfile returns a new test profile and its password.
func (a apps) createProfile() (member.TestProfile, string) {
	a.Helper()
	p, password, err := member.NewTestProfile(rand.Reader, "Card", a.Clock.Now())
	if err == nil {
		p, err = a.App.Store.CreateTestProfile(a.Context(), world.ByTest, a.Tenant(), p,
			a.App.Store.PasswordOf(a.Tenant(), p.ID, password))
	}
	if err != nil {
		a.Fatal(err)
	}
	a.Secret("test profile's password", password.Reveal())
	return p, password.Reveal()
}

// passwordBody returns the fields of a request with grant_type password.
func passwordBody(username, password string) url.Values {
	return url.Values{"grant_type": {"password"}, "username": {username}, "password": {password}}
}

// TestCreateToken_Password signs in a test profile (contract §8.4). The tokens work like the tokens of the
// authorization code grant. They end when the profile is deleted.
func TestCreateToken_Password(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	p, password := a.createProfile()
	fields := passwordBody(p.Username(a.Tenant()), password)
	got := a.readTokens(a.post("/token", withFields(fields, "scope", "transactions.history")))
	wantSame(t, "tokens", tokens{got.Access, "Bearer", 3600, got.Refresh, "transactions.history"}, got)
	a.wantAccess("its token", got.Access, "")
	if again := a.readTokens(a.post("/token", refreshBody(got.Refresh))); again.Scope != got.Scope {
		t.Errorf("refreshed: got scope %q, want %q", again.Scope, got.Scope)
	}
	a.wantRefused("a scope of others", a.newClient(func(c *oauth.Client) { c.Approved = nil }).
		post("/token", withFields(fields, "scope", "payments")), 400, oauth.InvalidScope)
	path := "/v0.1/merchants/" + a.Merchant.Code + "/test-profiles/" + p.ID
	a.Must(http.StatusNoContent, a.Send("DELETE", path, nil))
	a.wantAccess("deleted", got.Access, "invalid-token")
	a.wantInvalidGrant("deleted, refresh", a.post("/token", refreshBody(got.Refresh)))
	a.wantInvalidGrant("deleted, password", a.post("/token", fields))
}

// TestCreateToken_PasswordOfPerson checks that people cannot give a client their password (RFC 9700 §2.4). All refusals
// are the same, so that they do not show which names exist.
func TestCreateToken_PasswordOfPerson(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	a := apps{Shop: p.Shop}
	a = a.newClient()
	she, he := p.join(p.Tenant(), ada), p.employ(p.Tenant(), "till@example.com")
	profile, password := a.createProfile()
	own := profile.Username(a.Tenant())
	const want = `{"error":"invalid_grant","error_description":` +
		`"There is no test profile with this user name and password. People sign in at /authorize."}`
	for name, fields := range map[string]url.Values{
		"a user":              passwordBody(she.Email, herPassword),
		"a managed user":      passwordBody(he.Email, herPassword),
		"a member's id":       passwordBody(she.ID, herPassword),
		"nobody":              passwordBody("nobody@example.com", herPassword),
		"a wrong password":    passwordBody(own, password[1:]+"x"),
		"an unknown profile":  passwordBody("tp_aaaaaaaaaaaaaaaaaaaaaaaaaa@"+a.Merchant.Code, password),
		"at another merchant": passwordBody(profile.ID+"@"+a.Other.Code, password),
		"its id alone":        passwordBody(profile.ID, password),
	} {
		got := a.post("/token", fields)
		a.wantInvalidGrant(name, got)
		wantSame(t, name, want, string(got.Body))
	}
	a.wantRefused("no user name", a.post("/token", passwordBody("", password)), 400, oauth.InvalidRequest)
	a.wantRefused("no password", a.post("/token", passwordBody(own, "")), 400, oauth.InvalidRequest)
	live := a.newClient(func(c *oauth.Client) { c.Tenant = otherMode(c.Tenant) })
	a.wantRefused("a live client", live.post("/token", passwordBody(own, password)), 400, oauth.UnauthorizedClient)
	a.readTokens(a.post("/token", passwordBody(own, password)))
}

// TestCreateToken_TooManyPasswords checks that ten passwords may be tried for the name of a test profile, even if no
// profile has the name. A client may also try ten passwords for all other names together. These tries do not count
// against the people who have the names.
func TestCreateToken_TooManyPasswords(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile, password := a.createProfile()
	own, unknown := profile.Username(a.Tenant()), "tp_aaaaaaaaaaaaaaaaaaaaaaaaaa@"+a.Merchant.Code
	for _, name := range []string{own, unknown} {
		for range 10 {
			a.wantInvalidGrant(name, a.post("/token", passwordBody(name, "a wrong one")))
		}
		a.wantTooMany(name, a.post("/token", passwordBody(name, password)))
		a.Clock.Advance(6 * time.Minute)
	}
	a.Clock.Advance(6 * time.Minute)
	a.readTokens(a.post("/token", passwordBody(own, password)))
	a.Clock.Advance(10 * time.Minute)
	for i := range 10 {
		a.wantInvalidGrant("a person", a.post("/token", passwordBody("ada-"+strconv.Itoa(i)+"@example.com", "a wrong one")))
	}
	a.wantTooMany("people of one client", a.post("/token", passwordBody("grace@example.com", "a wrong one")))
	granted, _, err := a.App.Store.LeaseTokens(a.Context(), "passwords for grace@example.com",
		passwordsOfAddress, 10, time.Time{})
	if err != nil || granted != 10 {
		t.Errorf("got %d passwords left of the person, error %v, want 10", granted, err)
	}
}

// TestCreateToken_TooManyPasswordsFromAddress checks that passwords from an address are counted across names.
func TestCreateToken_TooManyPasswordsFromAddress(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	for i := range 30 {
		username := "tp_" + strconv.Itoa(i) + "@" + a.Merchant.Code
		a.wantInvalidGrant(username, a.post("/token", passwordBody(username, "a wrong one")))
	}
	a.wantTooMany("another name", a.post("/token", passwordBody("tp_30@"+a.Merchant.Code, "a wrong one")))
}

// wantTooMany checks that a response is a 429 with the time of the next try.
func (a apps) wantTooMany(what string, r world.Response) {
	a.Helper()
	a.wantRefused(what, r, http.StatusTooManyRequests, "temporarily_unavailable")
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 360 {
		a.Errorf("%s: got Retry-After %q, want up to 360 s", what, r.Header.Get("Retry-After"))
	}
}
