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

// factor is what somebody has noted of a second factor.
type factor struct {
	app      string // the secret
	recovery []string
}

var (
	appSecret     = regexp.MustCompile(`<code class="secret"[^>]*>([A-Z2-7 ]+)</code>`)
	recoveryCodes = regexp.MustCompile(`<li><code>([a-z2-7-]+)</code></li>`)
)

// scan is what the page gives to the app.
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

// noted are the recovery codes on the page.
func (b *browser) noted() (codes []string) {
	for _, found := range recoveryCodes.FindAllStringSubmatch(b.page, -1) {
		b.Secret("recovery code", found[1])
		codes = append(codes, found[1])
	}
	return codes
}

// code is what the app shows, now and a number of steps later.
func (f factor) code(p people, later int) string {
	p.Helper()
	code, err := totp.GenerateCode(f.app, p.Clock.Now().Add(time.Duration(later)*30*time.Second))
	if err != nil {
		p.Fatal(err)
	}
	return code
}

// wrong is no code of the app's, now or a moment ago.
func (f factor) wrong(p people) string {
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

// update sends the page's form of the action.
func (b *browser) update(action, code string) world.Response {
	b.Helper()
	return b.submit(ownFactor, b.changing(action, code))
}

func (b *browser) changing(action, code string) url.Values {
	b.Helper()
	return b.form(ownFactor, url.Values{"action": {action}, "code": {code}})
}

// enrol turns on the second factor of who is signed in.
func (b *browser) enrol() factor {
	b.Helper()
	b.open(ownFactor)
	f := b.scan()
	b.Must(http.StatusSeeOther, b.update("confirm", f.code(b.people, 0)))
	b.open(ownFactor)
	f.recovery = b.noted()
	b.Clock.Advance(time.Minute) // beyond the code that was used
	return f
}

// confirm sends a code on the page that asks for it.
func (b *browser) confirm(code string) world.Response {
	b.Helper()
	return b.submit(codePage, b.form(codePage, url.Values{"code": {code}}))
}

// enrolled is a browser whose user has a second factor.
func (p people) enrolled() (*browser, factor) {
	p.Helper()
	p.join(p.Tenant(), ada)
	b := p.browse()
	b.enter(ada, nil)
	return b, b.enrol()
}

// pending is a browser in which the password was entered, and the code is asked for.
func (p people) pending(name string) *browser {
	p.Helper()
	b := p.browse()
	b.open("/sign-in?mode=test")
	got := b.signIn(name, herPassword, nil)
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	return b
}

// signedIn reports whether the browser is, in full.
func (b *browser) signedIn() bool {
	b.Helper()
	got := b.Do(b.request("GET", ownFactor, nil))
	return got.Status == http.StatusOK
}

// factorOf is what the table has of a user's second factor.
func (p people) factorOf(name string) signin.Factor {
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

// TestSigningInWithASecondFactor: from turning it on to the application's page.
func TestSigningInWithASecondFactor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled()
	if len(f.recovery) != signin.RecoveryCodes {
		t.Fatalf("got recovery codes %v, want %d", f.recovery, signin.RecoveryCodes)
	}
	b := p.browse()
	b.open(p.asked(nil))
	got := b.Must(http.StatusSeeOther, b.signIn(ada, herPassword, nil))
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	if wrong := b.confirm(f.wrong(p)); wrong.Status != http.StatusBadRequest ||
		!strings.Contains(b.page, `aria-describedby="code-problem code-hint"`) {
		t.Errorf("a wrong code: got %d %s, want 400 and the form again", wrong.Status, b.page)
	}
	before := b.cookie
	got = b.confirm(" " + f.code(p, 0)[:3] + " " + f.code(p, 0)[3:])
	if got.Status != http.StatusSeeOther || b.cookie == before {
		t.Fatalf("got %d %s and cookie %s, want 303 with another cookie", got.Status, got.Body, got.Header.Get("Set-Cookie"))
	}
	b.open(strings.TrimPrefix(got.Header.Get("Location"), atHost))
	if answered := b.decide("allow", nil); answer(answered).Get("code") == "" {
		t.Errorf("got %d %s, want a code for the application", answered.Status, answered.Body)
	}
	old := p.browse()
	old.cookie = before
	if old.signedIn() {
		t.Error("the cookie of before is signed in, want another one only")
	}
}

// TestASignInWithoutTheSecondFactorReachesNothing else than the form for the code.
func TestASignInWithoutTheSecondFactorReachesNothing(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	owner, f := p.enrolled()
	owner.open(ownFactor)
	form := owner.changing("disable", f.recovery[0])
	before := p.factorOf(ada)
	b := p.pending(ada)
	for name, got := range map[string]world.Response{
		"the page":           b.Do(b.request("GET", ownFactor, nil)),
		"the form of others": b.Do(b.request("POST", ownFactor, form)),
	} {
		if got.Status != http.StatusSeeOther || got.Header.Get("Location") != atHost+"/sign-in" {
			t.Errorf("%s: got %d to %s, want 303 to sign in", name, got.Status, got.Header.Get("Location"))
		}
	}
	asked := b.open(p.asked(nil))
	if strings.Contains(b.page, `action="/authorize"`) || asked.Status != http.StatusOK {
		t.Errorf("got %d %s, want no question for consent", asked.Status, b.page)
	}
	consent := p.browse()
	consent.cookie = owner.cookie
	consent.open(p.asked(nil))
	decision := consent.form("/authorize", url.Values{"decision": {"allow"}})
	if got := b.Do(b.request("POST", "/authorize", decision)); answer(got).Get("code") != "" {
		t.Errorf("got %d to %s, want no code", got.Status, got.Header.Get("Location"))
	}
	if diff := cmp.Diff(before, p.factorOf(ada)); diff != "" {
		t.Errorf("the second factor has changed (-was +is):\n%s", diff)
	}
}

// TestASessionOfBeforeTheSecondFactor allows nothing until it has confirmed it. That in which it
// was turned on has.
func TestASessionOfBeforeTheSecondFactor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	owner, thief := p.browse(), p.browse()
	thief.enter(ada, nil)
	owner.enter(ada, nil)
	thief.open(p.asked(nil))
	stale := thief.form("/authorize", url.Values{"decision": {"allow"}})
	f := owner.enrol()
	if got := thief.submit("/authorize", stale); answer(got).Get("code") != "" {
		t.Errorf("a page of before: got %d to %s, want no code", got.Status, got.Header.Get("Location"))
	}
	thief.open(p.asked(nil))
	if strings.Contains(thief.page, `action="/authorize"`) {
		t.Errorf("got %s, want the form for a code", thief.page)
	}
	if got := thief.confirm(f.wrong(p)); got.Status != http.StatusBadRequest {
		t.Errorf("a wrong code: got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
	if got := thief.confirm(f.code(p, 0)); got.Header.Get("Location") != atHost+p.asked(nil) {
		t.Errorf("the right one: got %d to %s, want the request", got.Status, got.Header.Get("Location"))
	}
	for _, b := range []*browser{owner, thief} {
		b.open(p.asked(nil))
		if got := b.decide("allow", nil); answer(got).Get("code") == "" {
			t.Errorf("got %d %s, want a code", got.Status, got.Body)
		}
	}
}

// TestEachCodeSignsInOnce: neither the app's nor a recovery code counts again, in whichever browser.
func TestEachCodeSignsInOnce(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled()
	for name, code := range map[string]func() string{
		"the app's":       func() string { return f.code(p, 0) },
		"a recovery code": func() string { return f.recovery[4] },
		"another one":     func() string { return strings.ToUpper(f.recovery[5]) },
	} {
		entered := code()
		b := p.pending(ada)
		if got := b.confirm(entered); got.Status != http.StatusSeeOther || !b.signedIn() {
			t.Errorf("%s: got %d %s, want 303", name, got.Status, got.Body)
		}
		b = p.pending(ada)
		if got := b.confirm(entered); got.Status != http.StatusBadRequest || b.signedIn() {
			t.Errorf("%s again: got %d, want 400", name, got.Status)
		}
	}
}

// TestOfTwoWithTheSameRecoveryCodeOneSignsIn when they come at once.
func TestOfTwoWithTheSameRecoveryCodeOneSignsIn(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled()
	both := []*browser{p.pending(ada), p.pending(ada)}
	var group sync.WaitGroup
	for _, b := range both {
		request := b.request("POST", codePage, b.form(codePage, url.Values{"code": {f.recovery[0]}}))
		group.Go(func() { b.take(b.Do(request)) })
	}
	group.Wait()
	if first, second := both[0].signedIn(), both[1].signedIn(); first == second {
		t.Errorf("got %t and %t, want one that is signed in", first, second)
	}
	if left := p.factorOf(ada).Left(); left != signin.RecoveryCodes-1 {
		t.Errorf("got %d codes left, want %d", left, signin.RecoveryCodes-1)
	}
}

// TestCodesAreTriedSlowly: ten at once in all browsers of an account, then one every six minutes.
func TestCodesAreTriedSlowly(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled() // the first of ten, and nine seconds
	b := p.pending(ada)
	for range 9 {
		b.Must(http.StatusBadRequest, b.confirm(f.wrong(p)))
	}
	got := p.pending(ada).confirm(f.code(p, 0))
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Fatalf("the eleventh: got %d, want 429", got.Status)
	}
	p.Clock.Advance(6 * time.Minute)
	b.open("/sign-in")
	if got := b.confirm(f.code(p, 0)); got.Status != http.StatusSeeOther || !b.signedIn() {
		t.Errorf("after six minutes: got %d %s, want 303", got.Status, got.Body)
	}
}

// TestASecondFactorThatIsTurnedOffIsNotAskedFor at the next sign-in.
func TestASecondFactorThatIsTurnedOffIsNotAskedFor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	b, f := p.enrolled()
	b.open(ownFactor)
	b.Must(http.StatusSeeOther, b.update("disable", f.code(p, 0)))
	if diff := cmp.Diff(signin.Factor{Version: 2}, p.factorOf(ada)); diff != "" {
		t.Errorf("got (-want +got):\n%s", diff)
	}
	other := p.browse()
	if other.enter(ada, nil); !other.signedIn() {
		t.Error("got no session, want the password to be enough")
	}
	again := other.enrol()
	if again.app == f.app || len(again.recovery) == 0 || again.recovery[0] == f.recovery[0] {
		t.Error("got the same secrets, want other ones")
	}
}
