package oauth_test

import (
	"errors"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

const (
	herPassword   = "correct horse battery"
	otherPassword = "another battery staple"
	callback      = world.AppRedirect
	challenge     = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636, appendix B
	verifier      = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	ada           = "Ada@example.com" // a user's address
)

// people is a shop whose people sign in, with an OAuth client.
type people struct {
	world.Shop

	client oauth.Client
	secret string // the client's secret
}

func newPeople(t testing.TB) people {
	t.Helper()
	p := people{Shop: world.NewShop(t)}
	p.Secret("password", herPassword)
	p.Secret("password", otherPassword)
	p.client, p.secret = p.register("client_pages", p.Tenant(), func(*oauth.Client) {})
	return p
}

// register creates a client of the tenant that may ask for all scopes. It returns the client and the client's secret.
func (p people) register(id string, t identity.Tenant, change func(*oauth.Client)) (oauth.Client, string) {
	p.Helper()
	return p.RegisterClient(func(c *oauth.Client) {
		c.ID, c.Name, c.Tenant = id, "Till App", t
		change(c)
	})
}

func (p people) changeClient(change func(*oauth.Client)) {
	p.Helper()
	p.ChangeClient(p.client, change)
}

// join makes the user with the address an owner of the tenant. The user signs in with herPassword.
func (p people) join(t identity.Tenant, address string) member.Member {
	p.Helper()
	return p.PersonWith(t, address, herPassword)
}

// employ creates a managed user of the tenant with the address. The user signs in with herPassword.
func (p people) employ(t identity.Tenant, address string) member.Member {
	p.Helper()
	return p.EmployWith(t, address, herPassword)
}

// liveTenant returns the merchant of the tenant in live mode.
func liveTenant(t identity.Tenant) identity.Tenant {
	return identity.Tenant{Mode: identity.Live, Merchant: t.Merchant}
}

// browser is a person's browser, with its cookies and the page that it shows.
type browser struct {
	people

	cookie   string // session cookie
	device   string // device cookie
	merchant string // cookie with a merchant code
	page     string
	language string
	from     string // network address; "" for the address of all tests
	agent    string // header User-Agent

	name string     // of a guesser: the name that it signs in with
	more url.Values // of a guesser: other fields of the sign-in form
}

func (p people) newBrowser() *browser { return &browser{people: p} }

// open loads a page.
func (b *browser) open(path string) world.Response {
	b.Helper()
	return b.take(b.Do(b.request("GET", path, nil)))
}

// submit posts a form to the path.
func (b *browser) submit(path string, form url.Values) world.Response {
	b.Helper()
	return b.take(b.Do(b.request("POST", path, form)))
}

func (b *browser) request(method, path string, form url.Values) world.Request {
	b.Clock.Advance(time.Second) // because the requests a second from one address are limited
	r := world.Request{Method: method, Path: path, APIKey: world.NoKey,
		Header: map[string]string{"Cookie": joinCookies(b.cookie, b.device, b.merchant),
			"Accept-Language": b.language, "User-Agent": b.agent}, From: b.from}
	if form != nil {
		r.Body = form
	}
	return r
}

// joinCookies returns a header Cookie without the cookies that are "".
func joinCookies(cookies ...string) string {
	return strings.Join(slices.DeleteFunc(cookies, func(c string) bool { return c == "" }), "; ")
}

func (b *browser) take(got world.Response) world.Response {
	for _, line := range got.Header.Values("Set-Cookie") {
		set, _, _ := strings.Cut(line, ";")
		name, value, _ := strings.Cut(set, "=")
		switch name {
		case "merchant":
			b.merchant = set
		case "device":
			b.Secret("cookie", value)
			b.device = set
		default:
			b.Secret("cookie", value)
			b.cookie = set
		}
	}
	if head, body, page := strings.Cut(string(got.Body), "<style>"); page {
		_, body, _ = strings.Cut(body, "</style>")
		b.page = head + body
	}
	return got
}

// filledForm returns the fields of the page's form to the path, with more added.
func (b *browser) filledForm(path string, more url.Values) url.Values {
	b.Helper()
	_, form, found := strings.Cut(b.page, `action="`+path+`"`)
	if !found {
		b.Fatalf("got page %s, want a form to %s", b.page, path)
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, input := range strings.Split(form, "<input ")[1:] {
		input, _, _ = strings.Cut(input, ">")
		if name := attribute(input, "name"); name != "" {
			fields.Set(name, attribute(input, "value"))
		}
	}
	maps.Copy(fields, more)
	return fields
}

func attribute(tag, name string) string {
	_, rest, _ := strings.Cut(" "+tag, " "+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(value)
}

// signIn fills in the current page's sign-in form and sends it.
func (b *browser) signIn(name, password string, more url.Values) world.Response {
	b.Helper()
	filled := url.Values{"username": {name}, "password": {password}}
	maps.Copy(filled, more)
	return b.submit("/sign-in", b.filledForm("/sign-in", filled))
}

// openAndSignIn signs in on the page /sign-in.
func (b *browser) openAndSignIn(name string, more url.Values) {
	b.Helper()
	b.open("/sign-in?mode=test")
	b.Must(http.StatusSeeOther, b.signIn(name, herPassword, more))
}

// authorizePath returns the path of the client's authorization request, with the changes. "" removes a parameter.
func (p people) authorizePath(change url.Values) string {
	query := url.Values{"response_type": {"code"}, "client_id": {p.client.ID}, "redirect_uri": {callback},
		"scope": {"transactions.history user.profile_readonly"}, "state": {"a state"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	for name, values := range change {
		query[name] = values
		if len(values) == 1 && values[0] == "" {
			delete(query, name)
		}
	}
	return "/authorize?" + query.Encode()
}

// decide answers the page that asks for consent.
func (b *browser) decide(decision string, more url.Values) world.Response {
	b.Helper()
	filled := url.Values{"decision": {decision}}
	maps.Copy(filled, more)
	got := b.submit("/authorize", b.filledForm("/authorize", filled))
	if code := redirectQuery(got).Get("code"); code != "" {
		b.Secret("code", code)
	}
	return got
}

// redirectQuery returns the parameters of a redirect to the client.
func redirectQuery(got world.Response) url.Values {
	to, err := url.Parse(got.Header.Get("Location"))
	if err != nil || got.Status != http.StatusFound {
		return url.Values{}
	}
	return to.Query()
}

// storedCode returns the code of a redirect as stored.
func (p people) storedCode(got world.Response) oauth.Code {
	p.Helper()
	var stored oauth.Code
	stop := errors.New("it was read")
	err := p.App.Store.Redeem(p.Context(), identity.Hash(redirectQuery(got).Get("code")), "no grant",
		func(c oauth.Code) (oauth.Grant, identity.AccessToken, error) {
			stored = c
			return oauth.Grant{}, identity.AccessToken{}, stop
		})
	if !errors.Is(err, stop) {
		p.Fatalf("got %d %s to %s, %v; want a code", got.Status, got.Body, got.Header.Get("Location"), err)
	}
	return stored
}

// localTarget returns the path of a redirect to our own host.
func localTarget(got world.Response) string {
	return strings.TrimPrefix(got.Header.Get("Location"), "http://cashwrap.test")
}
