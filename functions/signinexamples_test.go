package functions_test

import (
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

// The requests of the pages on which people sign in. Each needs the cookie and a form of an earlier page.
func init() {
	for name, prepare := range map[string]func(*scenario) world.Request{
		"showAuthorization": func(t *scenario) world.Request { return world.Request{Path: t.askedFor()} },
		"decideAuthorization allow": func(t *scenario) world.Request {
			return t.signedIn().filled(t.askedFor(), "/authorize", url.Values{"decision": {"allow"}})
		},
		"signIn signIn": func(t *scenario) world.Request { return t.visitor().signingIn(t.colleague()) },
		"confirmSignIn app": func(t *scenario) world.Request {
			b, code := t.halfSignedIn()
			return b.filled("/sign-in", "/sign-in/second-factor", url.Values{"code": {code}})
		},
		"confirmSignIn recovery": func(t *scenario) world.Request {
			b, code := t.halfSignedIn()
			return b.filled("/sign-in", "/sign-in/second-factor", url.Values{"code": {code}})
		},
		"showSecondFactor": func(t *scenario) world.Request {
			return t.signedIn().request(http.MethodGet, ownFactor, nil)
		},
		"updateSecondFactor confirm": func(t *scenario) world.Request { return t.signedIn().confirming() },
		"updateSecondFactor disable": func(t *scenario) world.Request {
			b := t.signedIn()
			code := b.enrol()
			return b.filled(ownFactor, ownFactor, url.Values{"action": {"disable"}, "code": {code}})
		},
	} {
		prepared[name] = prepare
	}
}

// ownFactor is the page on which people manage their second factor.
const ownFactor = "/account/second-factor"

// askedFor is the address to which a client sends people.
func (t *scenario) askedFor() string {
	t.Helper()
	c, _ := t.RegisterClient()
	return "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {c.ID}, "state": {"2cFJf9Qm7XbS"},
		"redirect_uri": {world.AppRedirect}, "scope": {"transactions.history"}}.Encode()
}

// colleague is the address of a new member, who has invitedPassword.
func (t *scenario) colleague() string {
	t.Helper()
	address := guest()
	t.Do(t.invite(address, member.RoleEmployee).accept)
	return address
}

// visitor is a browser with the cookie of its last page.
type visitor struct {
	*scenario

	cookie string
}

func (t *scenario) visitor() *visitor { return &visitor{scenario: t} }

func (v *visitor) request(method, path string, form url.Values) world.Request {
	r := world.Request{Method: method, Path: path, APIKey: world.NoKey, Header: map[string]string{"Cookie": v.cookie}}
	if form != nil {
		r.Body = form
	}
	return r
}

// send sends a request, and keeps the cookie that comes back.
func (v *visitor) send(r world.Request) world.Response {
	v.Helper()
	got := v.Do(r)
	if set, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";"); set != "" {
		v.cookie = set
	}
	return got
}

// filled is the form of the page at the path that leads to the action, with the fields.
func (v *visitor) filled(path, action string, fields url.Values) world.Request {
	v.Helper()
	page := v.send(v.request(http.MethodGet, path, nil))
	return v.filledOn(page, action, fields)
}

func (v *visitor) filledOn(page client.Response, action string, fields url.Values) world.Request {
	v.Helper()
	form, err := page.FormTo(action)
	if err != nil {
		v.Fatalf("got %d %s, want a page with a form", page.Status, page.Body)
	}
	for name, values := range fields {
		form.Fields[name] = values
	}
	return v.request(http.MethodPost, form.Action, form.Fields)
}

func (v *visitor) signingIn(address string) world.Request {
	v.Helper()
	return v.filled("/sign-in?mode=test", "/sign-in", url.Values{"username": {address}, "password": {invitedPassword}})
}

// signedIn is a browser in which a new member has signed in.
func (t *scenario) signedIn() *visitor {
	t.Helper()
	v := t.visitor()
	v.send(v.signingIn(t.colleague()))
	return v
}

var appSecret = regexp.MustCompile(`<code class="secret"[^>]*>([A-Z2-7 ]+)</code>`)

// confirming is the request that turns on the second factor.
func (v *visitor) confirming() world.Request {
	v.Helper()
	request, _ := v.scanned()
	return request
}

// scanned is that request, and the app's secret, which the page shows.
func (v *visitor) scanned() (world.Request, string) {
	v.Helper()
	page := v.send(v.request(http.MethodGet, ownFactor, nil))
	found := appSecret.FindSubmatch(page.Body)
	if found == nil {
		v.Fatalf("got %d %s, want a secret", page.Status, page.Body)
	}
	secret := strings.ReplaceAll(string(found[1]), " ", "")
	v.Secret("secret of an app", secret)
	return v.filledOn(page, ownFactor, url.Values{"action": {"confirm"}, "code": {v.shows(secret)}}), secret
}

// shows is the code that the app shows now.
func (v *visitor) shows(secret string) string {
	v.Helper()
	code, err := totp.GenerateCode(secret, v.Clock.Now())
	if err != nil {
		v.Fatal(err)
	}
	return code
}

// enrol turns on the second factor, lets a minute pass, and returns the app's next code.
func (v *visitor) enrol() string {
	v.Helper()
	request, secret := v.scanned()
	v.send(request)
	v.Clock.Advance(time.Minute)
	return v.shows(secret)
}

// halfSignedIn is a browser in which somebody has entered the password but not the code, which it returns.
func (t *scenario) halfSignedIn() (*visitor, string) {
	t.Helper()
	address, v := t.colleague(), t.visitor()
	v.send(v.signingIn(address))
	code := v.enrol()
	again := t.visitor()
	again.send(again.signingIn(address))
	return again, code
}
