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

const ownFactor = "/account/second-factor"

// AskedFor returns the address to which a client sends people to give their consent.
func (t *Scenario) AskedFor() string {
	t.Helper()
	c, _ := t.RegisterClient()
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
