package examples

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// Requests of the sign-in pages need the cookie and a form of an earlier page.
func init() {
	confirm := func(t *Scenario) world.Request {
		b, code := t.signInWithPassword()
		return b.Filled("/sign-in", "/sign-in/second-factor", url.Values{"code": {code}})
	}
	maps.Copy(prepared, map[string]func(*Scenario) world.Request{
		"showAuthorization": func(t *Scenario) world.Request { return world.Request{Path: t.AskedFor()} },
		"decideAuthorization allow": func(t *Scenario) world.Request {
			return t.signIn().Filled(t.AskedFor(), "/authorize", url.Values{"decision": {"allow"}})
		},
		"signIn signIn":          func(t *Scenario) world.Request { return t.Visitor().prepareSignIn(t.createColleague()) },
		"confirmSignIn app":      confirm,
		"confirmSignIn recovery": confirm,
		"showSecondFactor": func(t *Scenario) world.Request {
			return t.signIn().newRequest(http.MethodGet, ownFactor, nil)
		},
		"showAccount": func(t *Scenario) world.Request {
			return t.signIn().newRequest(http.MethodGet, ownAccount, nil)
		},
		"endSessions one": func(t *Scenario) world.Request {
			v := t.signInTwice()
			page := v.Follow(v.newRequest(http.MethodGet, ownAccount, nil))
			ids := sessionIDs.FindAllSubmatch(page.Body, -1)
			return v.fillForm(page, "/account/sessions", url.Values{"session": {string(ids[1][1])}})
		},
		"endSessions others": func(t *Scenario) world.Request {
			return t.signInTwice().Filled(ownAccount, "/account/sessions", url.Values{"session": {"others"}})
		},
		"revokeApplication revoke": func(t *Scenario) world.Request {
			c, secret := t.RegisterClient()
			v := t.signIn()
			t.allow(v, c, secret)
			return v.Filled(ownAccount, "/account/applications", url.Values{"client_id": {c.ID}})
		},
		"updateSecondFactor confirm": func(t *Scenario) world.Request {
			request, _ := t.signIn().prepareEnrolment()
			return request
		},
		"updateSecondFactor disable": func(t *Scenario) world.Request {
			b := t.signIn()
			code := b.enrol()
			return b.Filled(ownFactor, ownFactor, url.Values{"action": {"disable"}, "code": {code}})
		},
	})
}

const (
	ownAccount = "/account"
	ownFactor  = "/account/second-factor"
)

// sessionIDs matches the id of a session on an account's page.
var sessionIDs = regexp.MustCompile(`name="session" value="([0-9a-f]{32})"`)

// signInTwice signs a member in, in two browsers, and returns the second browser.
func (t *Scenario) signInTwice() *Visitor {
	t.Helper()
	address := t.createColleague()
	var v *Visitor
	for range 2 {
		v = t.Visitor()
		v.Follow(v.prepareSignIn(address))
	}
	return v
}

// allow allows the client to act for the person who is signed in. The client exchanges the code for tokens.
func (t *Scenario) allow(v *Visitor, c oauth.Client, secret string) {
	t.Helper()
	decided := v.Follow(v.Filled(askedForBy(c), "/authorize", url.Values{"decision": {"allow"}}))
	to, err := url.Parse(decided.Header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		t.Fatalf("got %d to %v, %v; want a code", decided.Status, to, err)
	}
	code := to.Query().Get("code")
	t.Secret("code", code)
	got := t.Do(world.Request{Method: http.MethodPost, Path: "/token", APIKey: world.NoKey, Body: url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {world.AppRedirect}, "client_id": {c.ID},
		"client_secret": {secret}}})
	for _, name := range []string{"access_token", "refresh_token"} {
		t.Secret(name, got.Text(name))
	}
}

// AskedFor returns the address to which a client sends people to give their consent.
func (t *Scenario) AskedFor() string {
	t.Helper()
	c, _ := t.RegisterClient()
	return askedForBy(c)
}

func askedForBy(c oauth.Client) string {
	return "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {c.ID}, "state": {"2cFJf9Qm7XbS"},
		"redirect_uri": {world.AppRedirect}, "scope": {"transactions.history"}}.Encode()
}

func (t *Scenario) createColleague() string {
	t.Helper()
	address := Guest()
	t.Do(t.Invite(address, member.RoleEmployee).Accept)
	return address
}

// Visitor is a browser with the cookie of its last page.
type Visitor struct {
	*Scenario

	cookie string
}

// Visitor opens a browser.
func (t *Scenario) Visitor() *Visitor { return &Visitor{Scenario: t} }

func (v *Visitor) newRequest(method, path string, form url.Values) world.Request {
	r := world.Request{Method: method, Path: path, APIKey: world.NoKey, Header: map[string]string{"Cookie": v.cookie}}
	if form != nil {
		r.Body = form
	}
	return r
}

// Follow sends a request, and stores the cookie from the answer.
func (v *Visitor) Follow(r world.Request) world.Response {
	v.Helper()
	got := v.Do(r)
	if set, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";"); set != "" {
		v.cookie = set
	}
	return got
}

// Filled reads the page at the path. It returns the request that the page's form for the action sends, with the given
// fields.
func (v *Visitor) Filled(path, action string, fields url.Values) world.Request {
	v.Helper()
	page := v.Follow(v.newRequest(http.MethodGet, path, nil))
	return v.fillForm(page, action, fields)
}

func (v *Visitor) fillForm(page client.Response, action string, fields url.Values) world.Request {
	v.Helper()
	form, err := page.FormTo(action)
	if err != nil {
		v.Fatalf("got %d %s, want a page with a form", page.Status, page.Body)
	}
	maps.Copy(form.Fields, fields)
	return v.newRequest(http.MethodPost, form.Action, form.Fields)
}

func (v *Visitor) prepareSignIn(address string) world.Request {
	v.Helper()
	return v.Filled("/sign-in?mode=test", "/sign-in", url.Values{"username": {address}, "password": {Password}})
}

func (t *Scenario) signIn() *Visitor {
	t.Helper()
	v := t.Visitor()
	v.Follow(v.prepareSignIn(t.createColleague()))
	return v
}

var appSecret = regexp.MustCompile(`<code class="secret"[^>]*>([A-Z2-7 ]+)</code>`)

// prepareEnrolment returns the request that turns on the second factor. It also returns the authenticator app's secret,
// which the page shows.
func (v *Visitor) prepareEnrolment() (world.Request, string) {
	v.Helper()
	page := v.Follow(v.newRequest(http.MethodGet, ownFactor, nil))
	found := appSecret.FindSubmatch(page.Body)
	if found == nil {
		v.Fatalf("got %d %s, want a secret", page.Status, page.Body)
	}
	secret := strings.ReplaceAll(string(found[1]), " ", "")
	v.Secret("secret of an app", secret)
	return v.fillForm(page, ownFactor, url.Values{"action": {"confirm"}, "code": {v.appCode(secret)}}), secret
}

func (v *Visitor) appCode(secret string) string {
	v.Helper()
	code, err := totp.GenerateCode(secret, v.Clock.Now())
	if err != nil {
		v.Fatal(err)
	}
	return code
}

// enrol turns on the second factor, moves the clock by a minute, and returns the authenticator app's next code.
func (v *Visitor) enrol() string {
	v.Helper()
	request, secret := v.prepareEnrolment()
	v.Follow(request)
	v.Clock.Advance(time.Minute)
	return v.appCode(secret)
}

// signInWithPassword signs a member in with the password. It returns the browser, and the code for the next page.
func (t *Scenario) signInWithPassword() (*Visitor, string) {
	t.Helper()
	address, v := t.createColleague(), t.Visitor()
	v.Follow(v.prepareSignIn(address))
	code := v.enrol()
	again := t.Visitor()
	again.Follow(again.prepareSignIn(address))
	return again, code
}
