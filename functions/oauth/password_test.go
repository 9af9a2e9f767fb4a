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

// profile makes a test profile, and returns it with its password.
func (a apps) profile() (member.TestProfile, string) {
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

// signingIn are the fields of a request that signs in with a password.
func signingIn(username, password string) url.Values {
	return url.Values{"grant_type": {"password"}, "username": {username}, "password": {password}}
}

// TestATestProfileSignsIn by its password (contract §8.4): its tokens are as those of a code.
func TestATestProfileSignsIn(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	p, password := a.profile()
	fields := signingIn(p.Username(a.Tenant()), password)
	got := a.got(a.post("/token", with(fields, "scope", "transactions.history")))
	same(t, "tokens", tokens{got.Access, "Bearer", 3600, got.Refresh, "transactions.history"}, got)
	a.works("its token", got.Access, "")
	if again := a.got(a.post("/token", refreshing(got.Refresh))); again.Scope != got.Scope {
		t.Errorf("refreshed: got scope %q, want %q", again.Scope, got.Scope)
	}
	a.refused("a scope of others", a.another(func(c *oauth.Client) { c.Approved = nil }).
		post("/token", with(fields, "scope", "payments")), 400, oauth.InvalidScope)
	path := "/v0.1/merchants/" + a.Merchant.Code + "/test-profiles/" + p.ID
	a.Must(http.StatusNoContent, a.Send("DELETE", path, nil))
	a.works("deleted", got.Access, "invalid-token")
	a.invalidGrant("deleted, refresh", a.post("/token", refreshing(got.Refresh)))
	a.invalidGrant("deleted, password", a.post("/token", fields))
}

// TestPeopleGiveNoClientTheirPassword (RFC 9700 §2.4), and nobody learns which names there are:
// each refusal is the same.
func TestPeopleGiveNoClientTheirPassword(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	a := apps{Shop: p.Shop}
	a = a.another()
	she, he := p.join(p.Tenant(), ada), p.employ(p.Tenant(), "till@example.com")
	profile, password := a.profile()
	own := profile.Username(a.Tenant())
	const want = `{"error":"invalid_grant","error_description":` +
		`"There is no test profile with this user name and password. People sign in at /authorize."}`
	for name, fields := range map[string]url.Values{
		"a user":              signingIn(she.Email, herPassword),
		"a managed user":      signingIn(he.Email, herPassword),
		"a member's id":       signingIn(she.ID, herPassword),
		"nobody":              signingIn("nobody@example.com", herPassword),
		"a wrong password":    signingIn(own, password[1:]+"x"),
		"an unknown profile":  signingIn("tp_aaaaaaaaaaaaaaaaaaaaaaaaaa@"+a.Merchant.Code, password),
		"at another merchant": signingIn(profile.ID+"@"+a.Other.Code, password),
		"its id alone":        signingIn(profile.ID, password),
	} {
		got := a.post("/token", fields)
		a.invalidGrant(name, got)
		same(t, name, want, string(got.Body))
	}
	a.refused("no user name", a.post("/token", signingIn("", password)), 400, oauth.InvalidRequest)
	a.refused("no password", a.post("/token", signingIn(own, "")), 400, oauth.InvalidRequest)
	live := a.another(func(c *oauth.Client) { c.Tenant = elsewhere(c.Tenant) })
	a.refused("a live client", live.post("/token", signingIn(own, password)), 400, oauth.UnauthorizedClient)
	a.got(a.post("/token", signingIn(own, password)))
}

// TestPasswordsAreCounted: 10 for a name, whether there is such a profile or not; and of people a
// client uses none up.
func TestPasswordsAreCounted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile, password := a.profile()
	own, unknown := profile.Username(a.Tenant()), "tp_aaaaaaaaaaaaaaaaaaaaaaaaaa@"+a.Merchant.Code
	for _, name := range []string{own, unknown} {
		for range 10 {
			a.invalidGrant(name, a.post("/token", signingIn(name, "a wrong one")))
		}
		a.tooMany(name, a.post("/token", signingIn(name, password)))
		a.Clock.Advance(6 * time.Minute)
	}
	a.Clock.Advance(6 * time.Minute)
	a.got(a.post("/token", signingIn(own, password)))
	a.Clock.Advance(10 * time.Minute)
	for i := range 10 {
		a.invalidGrant("a person", a.post("/token", signingIn("ada-"+strconv.Itoa(i)+"@example.com", "a wrong one")))
	}
	a.tooMany("people of one client", a.post("/token", signingIn("grace@example.com", "a wrong one")))
	granted, _, err := a.App.Store.LeaseTokens(a.Context(), "passwords for grace@example.com",
		passwordsOfAddress, 10, time.Time{})
	if err != nil || granted != 10 {
		t.Errorf("got %d passwords left of the person, error %v, want 10", granted, err)
	}
}

// TestPasswordsFromOneAddress are counted, whatever the name.
func TestPasswordsFromOneAddress(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	for i := range 30 {
		username := "tp_" + strconv.Itoa(i) + "@" + a.Merchant.Code
		a.invalidGrant(username, a.post("/token", signingIn(username, "a wrong one")))
	}
	a.tooMany("another name", a.post("/token", signingIn("tp_30@"+a.Merchant.Code, "a wrong one")))
}

// tooMany checks that a response is a 429 that says when to try again.
func (a apps) tooMany(what string, r world.Response) {
	a.Helper()
	a.refused(what, r, http.StatusTooManyRequests, "temporarily_unavailable")
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 360 {
		a.Errorf("%s: got Retry-After %q, want up to 360 s", what, r.Header.Get("Retry-After"))
	}
}
