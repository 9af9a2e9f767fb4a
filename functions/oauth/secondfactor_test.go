package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pquerna/otp/totp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/signin"
)

const (
	ownFactor = "/account/second-factor"
	codePage  = "/sign-in/second-factor"
	atHost    = "http://cashwrap.test"
)

// factor has the data of a second factor that a person has noted.
type factor struct {
	app      string // the secret
	recovery []string
}

var (
	appSecret     = regexp.MustCompile(`<code class="secret"[^>]*>([A-Z2-7 ]+)</code>`)
	recoveryCodes = regexp.MustCompile(`<li><code>([a-z2-7-]+)</code></li>`)
)

// scan returns the factor that the page gives to the app.
func (b *browser) scan() factor {
	b.Helper()
	found := appSecret.FindStringSubmatch(b.page)
	if found == nil {
		b.Fatalf("got page %s, want a secret for the app", b.page)
	}
	secret := strings.ReplaceAll(found[1], " ", "")
	b.Secret("secret of an app", secret)
	b.Secret("secret of an app", found[1])
	return factor{app: secret}
}

// recoveryCodes returns the recovery codes on the page.
func (b *browser) recoveryCodes() (codes []string) {
	for _, found := range recoveryCodes.FindAllStringSubmatch(b.page, -1) {
		b.Secret("recovery code", found[1])
		codes = append(codes, found[1])
	}
	return codes
}

// code returns the app's code, now or a number of steps later.
func (f factor) code(p people, later int) string {
	p.Helper()
	code, err := totp.GenerateCode(f.app, p.Clock.Now().Add(time.Duration(later)*30*time.Second))
	if err != nil {
		p.Fatal(err)
	}
	return code
}

// wrongCode returns a code that the app does not show now and did not show a moment ago.
func (f factor) wrongCode(p people) string {
	for i := range 100 {
		guess := fmt.Sprintf("%06d", i)
		taken := false
		for step := -4; step <= 4; step++ {
			taken = taken || f.code(p, step) == guess
		}
		if !taken {
			return guess
		}
	}
	return ""
}

// update sends the page's form for the action.
func (b *browser) update(action, code string) world.Response {
	b.Helper()
	return b.submit(ownFactor, b.updateForm(action, code))
}

func (b *browser) updateForm(action, code string) url.Values {
	b.Helper()
	return b.filledForm(ownFactor, url.Values{"action": {action}, "code": {code}})
}

// enrol turns on the second factor of the person who is signed in.
func (b *browser) enrol() factor {
	b.Helper()
	b.open(ownFactor)
	f := b.scan()
	b.Must(http.StatusSeeOther, b.update("confirm", f.code(b.people, 0)))
	b.open(ownFactor)
	f.recovery = b.recoveryCodes()
	b.Clock.Advance(time.Minute) // so that the app shows another code than the one used
	return f
}

// confirm sends a code on the page that asks for it.
func (b *browser) confirm(code string) world.Response {
	b.Helper()
	return b.submit(codePage, b.filledForm(codePage, url.Values{"code": {code}}))
}

// enrolAda returns a browser whose user has a second factor.
func (p people) enrolAda() (*browser, factor) {
	p.Helper()
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	return b, b.enrol()
}

// startPending returns a browser that has sent the password and is asked for the code.
func (p people) startPending(name string) *browser {
	p.Helper()
	b := p.newBrowser()
	b.open("/sign-in?mode=test")
	got := b.signIn(name, herPassword, nil)
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	return b
}

// isSignedIn returns true if the browser is fully signed in.
func (b *browser) isSignedIn() bool {
	b.Helper()
	got := b.Do(b.request("GET", ownFactor, nil))
	return got.Status == http.StatusOK
}

// storedFactor returns a user's second factor as stored.
func (p people) storedFactor(name string) signin.Factor {
	p.Helper()
	account, err := p.App.Store.SignInAccount(p.Context(), signin.ParseName(name, ""), p.Tenant().Mode)
	if err != nil {
		p.Fatal(err)
	}
	f, err := p.App.Store.SecondFactor(p.Context(), account.User())
	if err != nil {
		p.Fatal(err)
	}
	return f
}

// TestConfirmSignIn turns the factor on and signs in, up to the application's page.
func TestConfirmSignIn(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	if len(f.recovery) != signin.RecoveryCodes {
		t.Fatalf("got recovery codes %v, want %d", f.recovery, signin.RecoveryCodes)
	}
	b := p.newBrowser()
	b.open(p.authorizePath(nil))
	got := b.Must(http.StatusSeeOther, b.signIn(ada, herPassword, nil))
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	if wrong := b.confirm(f.wrongCode(p)); wrong.Status != http.StatusBadRequest ||
		!strings.Contains(b.page, `aria-describedby="code-problem code-hint"`) {
		t.Errorf("a wrong code: got %d %s, want 400 and the form again", wrong.Status, b.page)
	}
	before := b.cookie
	got = b.confirm(" " + f.code(p, 0)[:3] + " " + f.code(p, 0)[3:])
	if got.Status != http.StatusSeeOther || b.cookie == before {
		t.Fatalf("got %d %s and cookie %s, want 303 with another cookie", got.Status, got.Body, got.Header.Get("Set-Cookie"))
	}
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	if answered := b.decide("allow", nil); redirectQuery(answered).Get("code") == "" {
		t.Errorf("got %d %s, want a code for the application", answered.Status, answered.Body)
	}
	old := p.newBrowser()
	old.cookie = before
	if old.isSignedIn() {
		t.Error("the cookie of before is signed in, want another one only")
	}
}

// TestPendingSession_ReachesNothing checks that a Pending session reaches only the form for the code.
func TestPendingSession_ReachesNothing(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	owner, f := p.enrolAda()
	owner.open(ownFactor)
	form := owner.updateForm("disable", f.recovery[0])
	before := p.storedFactor(ada)
	b := p.startPending(ada)
	for name, got := range map[string]world.Response{
		"the page":           b.Do(b.request("GET", ownFactor, nil)),
		"the form of others": b.Do(b.request("POST", ownFactor, form)),
	} {
		if got.Status != http.StatusSeeOther || got.Header.Get("Location") != atHost+"/sign-in" {
			t.Errorf("%s: got %d to %s, want 303 to sign in", name, got.Status, got.Header.Get("Location"))
		}
	}
	asked := b.open(p.authorizePath(nil))
	if strings.Contains(b.page, `action="/authorize"`) || asked.Status != http.StatusOK {
		t.Errorf("got %d %s, want no question for consent", asked.Status, b.page)
	}
	consent := p.newBrowser()
	consent.cookie = owner.cookie
	consent.open(p.authorizePath(nil))
	decision := consent.filledForm("/authorize", url.Values{"decision": {"allow"}})
	if got := b.Do(b.request("POST", "/authorize", decision)); redirectQuery(got).Get("code") != "" {
		t.Errorf("got %d to %s, want no code", got.Status, got.Header.Get("Location"))
	}
	if diff := cmp.Diff(before, p.storedFactor(ada)); diff != "" {
		t.Errorf("the second factor has changed (-was +is):\n%s", diff)
	}
}

// TestShowAuthorization_SessionBeforeSecondFactor checks that an earlier session must confirm the factor first. The
// session in which the factor was turned on need not confirm it.
func TestShowAuthorization_SessionBeforeSecondFactor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	owner, thief := p.newBrowser(), p.newBrowser()
	thief.openAndSignIn(ada, nil)
	owner.openAndSignIn(ada, nil)
	thief.open(p.authorizePath(nil))
	stale := thief.filledForm("/authorize", url.Values{"decision": {"allow"}})
	f := owner.enrol()
	if got := thief.submit("/authorize", stale); redirectQuery(got).Get("code") != "" {
		t.Errorf("a page of before: got %d to %s, want no code", got.Status, got.Header.Get("Location"))
	}
	thief.open(p.authorizePath(nil))
	if strings.Contains(thief.page, `action="/authorize"`) {
		t.Errorf("got %s, want the form for a code", thief.page)
	}
	if got := thief.confirm(f.wrongCode(p)); got.Status != http.StatusBadRequest {
		t.Errorf("a wrong code: got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
	if got := thief.confirm(f.code(p, 0)); got.Header.Get("Location") != atHost+p.authorizePath(nil) {
		t.Errorf("the right one: got %d to %s, want the request", got.Status, got.Header.Get("Location"))
	}
	for _, b := range []*browser{owner, thief} {
		b.open(p.authorizePath(nil))
		if got := b.decide("allow", nil); redirectQuery(got).Get("code") == "" {
			t.Errorf("got %d %s, want a code", got.Status, got.Body)
		}
	}
}

// TestConfirmSignIn_CodeUsedTwice checks that each code of the app and each recovery code counts once, in any browser.
func TestConfirmSignIn_CodeUsedTwice(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	for name, code := range map[string]func() string{
		"the app's":       func() string { return f.code(p, 0) },
		"a recovery code": func() string { return f.recovery[4] },
		"another one":     func() string { return strings.ToUpper(f.recovery[5]) },
	} {
		entered := code()
		b := p.startPending(ada)
		if got := b.confirm(entered); got.Status != http.StatusSeeOther || !b.isSignedIn() {
			t.Errorf("%s: got %d %s, want 303", name, got.Status, got.Body)
		}
		b = p.startPending(ada)
		if got := b.confirm(entered); got.Status != http.StatusBadRequest || b.isSignedIn() {
			t.Errorf("%s again: got %d, want 400", name, got.Status)
		}
	}
}

func TestConfirmSignIn_RecoveryCodeConcurrently(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	both := []*browser{p.startPending(ada), p.startPending(ada)}
	var group sync.WaitGroup
	for _, b := range both {
		request := b.request("POST", codePage, b.filledForm(codePage, url.Values{"code": {f.recovery[0]}}))
		group.Go(func() { b.take(b.Do(request)) })
	}
	group.Wait()
	if first, second := both[0].isSignedIn(), both[1].isSignedIn(); first == second {
		t.Errorf("got %t and %t, want one that is signed in", first, second)
	}
	if left := p.storedFactor(ada).Left(); left != signin.RecoveryCodes-1 {
		t.Errorf("got %d codes left, want %d", left, signin.RecoveryCodes-1)
	}
}

// TestConfirmSignIn_TooManyCodes checks that all browsers of an account together may try ten codes at once, then one
// every six minutes.
func TestConfirmSignIn_TooManyCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda() // enrolment took the first of ten codes; the nine below take nine seconds
	b := p.startPending(ada)
	for range 9 {
		b.Must(http.StatusBadRequest, b.confirm(f.wrongCode(p)))
	}
	got := p.startPending(ada).confirm(f.code(p, 0))
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Fatalf("the eleventh: got %d, want 429", got.Status)
	}
	p.Clock.Advance(6 * time.Minute)
	b.open("/sign-in")
	if got := b.confirm(f.code(p, 0)); got.Status != http.StatusSeeOther || !b.isSignedIn() {
		t.Errorf("after six minutes: got %d %s, want 303", got.Status, got.Body)
	}
}

func TestSignIn_SecondFactorTurnedOff(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	b, f := p.enrolAda()
	b.open(ownFactor)
	b.Must(http.StatusSeeOther, b.update("disable", f.code(p, 0)))
	if diff := cmp.Diff(signin.Factor{Version: 2}, p.storedFactor(ada)); diff != "" {
		t.Errorf("got (-want +got):\n%s", diff)
	}
	other := p.newBrowser()
	if other.openAndSignIn(ada, nil); !other.isSignedIn() {
		t.Error("got no session, want the password to be enough")
	}
	again := other.enrol()
	if again.app == f.app || len(again.recovery) == 0 || again.recovery[0] == f.recovery[0] {
		t.Error("got the same secrets, want other ones")
	}
}
