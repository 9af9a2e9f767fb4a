package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// application is the server of a client. Its callback redirects to a page on another host, as many callbacks do.
type application struct {
	mu      sync.Mutex
	answers []url.Values
}

func (a *application) serveCallback(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = append(a.answers, r.URL.Query())
	http.Redirect(w, r, "http://www.app.test/done?"+r.URL.RawQuery, http.StatusFound)
}

func (a *application) serveDone(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>Done</title><link rel=icon href=data:,>")
}

// last returns the last answer.
func (a *application) last() url.Values {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers[len(a.answers)-1]
}

// web returns the platform and the application.
func (p people) web(a *application) chromium.Web {
	return chromium.Web{"cashwrap.test": p.Main().Checked(), "app.test": http.HandlerFunc(a.serveCallback),
		"www.app.test": http.HandlerFunc(a.serveDone)}
}

// signIn fills in the form on a page in the language en.
func signIn(tab chromium.Tab, name, password string) {
	tab.Field("E-mail or user name").Fill(name)
	tab.Field("Password").Fill(password)
	tab.Button("Sign in").Click()
}

// TestDecideAuthorization_WithABrowser signs in and consents: with and without scripts, light, dark, wide and narrow.
func TestDecideAuthorization_WithABrowser(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]chromium.Options{
		"light":                    {},
		"dark":                     {Dark: true},
		"narrow without scripts":   {Width: 360, NoScript: true},
		"dark, narrow, no scripts": {Dark: true, Width: 360, NoScript: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runConsent(t, o)
		})
	}
}

func runConsent(t *testing.T, o chromium.Options) {
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.OtherShop().Tenant(), ada)
	p.Clock.Advance(time.Hour)
	p.changeClient(func(c *oauth.Client) { c.RedirectURIs = []string{"http://app.test/callback"} })
	app := &application{}
	s := chromium.Open(t, p.web(app), o)
	s.Expect("400 POST", "400 GET") // the replies to a wrong password and to an unknown client
	asked := atHost + p.authorizePath(url.Values{"redirect_uri": {"http://app.test/callback"},
		"scope": {"payments transactions.history user.profile api_keys:write"}})
	const arrived = `^http://www\.app\.test/done\?`

	tab := s.Visit(asked)
	tab.Look("sign-in", "Sign in")
	signIn(tab, ada, otherPassword)
	tab.Look("sign-in-wrong", "Sign in")
	if got := tab.Alert(); got != "Name and password do not match." {
		t.Errorf("got alert %q, want that they do not match", got)
	}
	p.Clock.Advance(time.Minute) // as a person takes a while
	signIn(tab, ada, herPassword)
	tab.Look("consent", "Allow Till App to act on your behalf?")
	tab.Field("Default merchant").Choose(p.Other.Code)
	tab.Button("Allow").Click()
	tab.WaitURL(arrived)
	allowed := app.last()
	code := allowed.Get("code")
	p.Secret("code", code)
	want := url.Values{"code": {code}, "state": {"a state"}, "merchant_code": {p.Other.Code}, "iss": {atHost}}
	if diff := cmp.Diff(want, allowed); diff != "" || code == "" {
		t.Errorf("allowed (-want +got):\n%s", diff)
	}
	p.Clock.Advance(time.Minute)
	tab.Goto(asked)
	tab.Button("Deny").Click()
	tab.WaitURL(arrived)
	if got := app.last().Get("error"); got != oauth.AccessDenied {
		t.Errorf("got %v, want access_denied", app.last())
	}
	tab.Goto(asked)
	tab.Button("Sign in with another account").Click()
	tab.Look("signed-out", "Sign in")
	tab.Goto(atHost + p.authorizePath(url.Values{"client_id": {"client_other"}}))
	tab.Look("unknown-client", "Unknown application")
}

// TestUpdateSecondFactor_WithABrowser checks that the QR code equals the text on the page, and that codes sign in.
func TestUpdateSecondFactor_WithABrowser(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]chromium.Options{
		"light":                        {},
		"dark, narrow, without script": {Dark: true, Width: 360, NoScript: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSecondFactor(t, o)
		})
	}
}

func runSecondFactor(t *testing.T, o chromium.Options) {
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	s := chromium.Open(t, p.web(&application{}), o)
	s.Expect("400 POST")
	tab := s.Visit(atHost + "/sign-in?mode=test")
	signIn(tab, ada, herPassword)
	tab.Link("Second factor").Click()
	tab.Look("second-factor-off", "Turn on the second factor")
	shown := tab.CSS("code.secret").Text()
	f := factor{app: strings.ReplaceAll(shown, " ", "")}
	p.Secret("secret of an app", shown)
	p.Secret("secret of an app", f.app)
	scanned, err := url.Parse(tab.Role("img", "").QRCode())
	if err != nil || scanned.Scheme != "otpauth" || scanned.Query().Get("secret") != f.app {
		t.Errorf("scanned %s, %v; want otpauth with the secret of the page", scanned, err)
	}
	enter := func(code, button string) {
		tab.CSS("input[name=code]").Fill(code)
		tab.Button(button).Click()
	}
	enter(f.wrongCode(p), "Turn on")
	tab.Look("second-factor-wrong", "Turn on the second factor")
	if tab.Alert() == "" {
		t.Error("after a wrong code: got no alert, want one")
	}
	enter(f.code(p, 0), "Turn on")
	tab.Look("second-factor-on", "The second factor is on")
	codes := strings.Fields(tab.CSS("ul.codes").Text())
	for _, c := range codes {
		p.Secret("recovery code", c)
	}
	if copied, want := tab.CSS("#copy").Attribute("data-text"), strings.Join(codes, "\n"); copied != want {
		t.Errorf("got a button that copies %q, want %q", copied, want)
	}
	file, err := url.PathUnescape(tab.Link("Download the codes as a file").Attribute("href"))
	if want := "\n\n" + strings.Join(codes, "\n") + "\n"; err != nil || !strings.HasSuffix(file, want) {
		t.Errorf("got file %q, %v; want the codes", file, err)
	}
	slices.Sort(codes)
	if len(slices.Compact(codes)) != 10 {
		t.Errorf("got recovery codes %v, want ten", codes)
	}
	tab.Button("Sign out").Click()
	p.Clock.Advance(time.Minute)
	signIn(tab, ada, herPassword)
	tab.Look("second-factor-asked", "Enter your code")
	tab.CSS("input[name=code]").Fill(codes[0])
	tab.Button("Continue").Click()
	tab.Heading("Your account").Wait()
}

// TestShowAccount_WithABrowser signs out other browsers and revokes an application, on the page of an account.
func TestShowAccount_WithABrowser(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]chromium.Options{
		"light":                        {},
		"dark":                         {Dark: true},
		"narrow":                       {Width: 390},
		"dark, narrow, without script": {Dark: true, Width: 390, NoScript: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runAccount(t, o)
		})
	}
}

func runAccount(t *testing.T, o chromium.Options) {
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.OtherShop().Tenant(), ada)
	p.Clock.Advance(time.Hour)
	other := p.inBrowser(iPhone, ada, nil)
	other.open(p.authorizePath(url.Values{"scope": {"payments transactions.history user.profile"}}))
	p.Must(http.StatusFound, other.decide("allow", url.Values{"merchant_code": {p.Merchant.Code}}))
	p.Clock.Advance(5 * time.Minute)
	s := chromium.Open(t, p.web(&application{}), o)
	tab := s.Visit(atHost + "/sign-in?mode=test")
	signIn(tab, ada, herPassword)
	tab.Look("account", "Your account")
	tab.Button("Revoke").Click()
	tab.Text("You have not allowed any application").Wait()
	tab.Button("Sign out all other browsers").Click()
	tab.Text("You have not allowed any application").Wait()
	tab.Look("account-alone", "Your account")
	if other.isSignedIn() {
		t.Error("the other browser is signed in, want it signed out")
	}
	tab.CSS(".entries button").Click()
	tab.Heading("Sign in").Wait()
}
