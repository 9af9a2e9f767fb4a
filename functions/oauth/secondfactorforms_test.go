package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// TestUpdateSecondFactor_InvalidForm checks that a refused form changes nothing.
func TestUpdateSecondFactor_InvalidForm(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	b, bob := p.newBrowser(), p.newBrowser()
	b.openAndSignIn(ada, nil)
	bob.openAndSignIn("bob@example.com", nil)
	b.open(ownFactor)
	bob.open(ownFactor)
	mine, his := b.scan(), bob.scan()
	right := func() url.Values { return b.updateForm("confirm", mine.code(p, 0)) }
	with := func(name, value string) url.Values {
		form := right()
		form.Set(name, value)
		return form
	}
	for name, form := range map[string]url.Values{
		"no token":           with("csrf_token", ""),
		"another's token":    with("csrf_token", bob.updateForm("confirm", "").Get("csrf_token")),
		"of another form":    with("csrf_token", b.filledForm("/sign-in", nil).Get("csrf_token")),
		"no action":          with("action", ""),
		"an unknown action":  with("action", "remove"),
		"no code":            with("code", ""),
		"a long code":        with("code", strings.Repeat("1", 65)),
		"a wrong code":       with("code", mine.wrongCode(p)),
		"another's code":     with("code", his.code(p, 0)),
		"an early code":      with("code", mine.code(p, 3)),
		"new codes, but off": with("action", "new_codes"),
	} {
		got := b.submit(ownFactor, form)
		if got.Status != http.StatusBadRequest || !strings.Contains(b.page, `role="alert"`) {
			t.Errorf("%s: got %d %s, want 400 with the problem", name, got.Status, got.Body)
		}
	}
	b.open(ownFactor)
	stranger := p.newBrowser()
	if got := stranger.submit(ownFactor, right()); got.Status != http.StatusSeeOther ||
		got.Header.Get("Location") != atHost+"/sign-in" {
		t.Errorf("without a cookie: got %d, want 303 to sign in", got.Status)
	}
	stranger.Want("without a cookie, malformed", http.StatusBadRequest, stranger.submit(ownFactor, with("action", "x")))
	if diff := cmp.Diff(signin.Factor{}, p.storedFactor(ada)); diff != "" {
		t.Errorf("got (-want +got):\n%s", diff)
	}
	if got := b.submit(ownFactor, right()); got.Status != http.StatusSeeOther || !p.storedFactor(ada).Confirmed() {
		t.Errorf("the right one: got %d %s, want 303", got.Status, got.Body)
	}
}

// TestConfirmSignIn_InvalidForm checks that a refused form does not sign in.
func TestConfirmSignIn_InvalidForm(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	owner, f := p.enrolAda()
	b, other := p.startPending(ada), p.startPending(ada)
	page := b.page
	with := func(name, value string) url.Values {
		b.page = page
		return b.filledForm(codePage, url.Values{"code": {f.recovery[0]}, name: {value}})
	}
	for name, form := range map[string]url.Values{
		"no token":        with("csrf_token", ""),
		"another's token": with("csrf_token", other.filledForm(codePage, nil).Get("csrf_token")),
		"no code":         with("code", ""),
		"a control char":  with("code", f.recovery[0]+"\n\x01"),
		"a long code":     with("code", strings.Repeat(f.recovery[0], 5)),
		"too long a link": with("continue", strings.Repeat("a", 16385)),
	} {
		if got := b.submit(codePage, form); got.Status != http.StatusBadRequest || b.isSignedIn() {
			t.Errorf("%s: got %d %s, want 400", name, got.Status, got.Body)
		}
	}
	for name, c := range map[string]struct {
		b    *browser
		want string
	}{
		"not signed in":        {p.newBrowser(), atHost + "/sign-in"},
		"signed in, and asked": {owner, atHost + ownAccount},
	} {
		b.Want(name+", malformed", http.StatusBadRequest, c.b.submit(codePage, with("code", "")))
		got := c.b.submit(codePage, with("code", f.recovery[0]))
		if got.Status != http.StatusSeeOther || got.Header.Get("Location") != c.want {
			t.Errorf("%s: got %d to %s, want 303 to %s", name, got.Status, got.Header.Get("Location"), c.want)
		}
	}
	if left := p.storedFactor(ada).Left(); left != signin.RecoveryCodes {
		t.Errorf("got %d codes left, want all", left)
	}
	evil := with("continue", "https://evil.example/")
	if got := b.submit(codePage, evil); !strings.HasPrefix(got.Header.Get("Location"), atHost+"/authorize?") {
		t.Errorf("got 303 to %s, want our own host", got.Header.Get("Location"))
	}
}

// TestUpdateSecondFactor_TwoEnrolments checks that a browser cannot confirm its enrolment after another browser has
// confirmed one. A code of one session's enrolment is not accepted for another session's.
func TestUpdateSecondFactor_TwoEnrolments(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	late, first := p.newBrowser(), p.newBrowser()
	late.openAndSignIn(ada, nil)
	late.open(ownFactor)
	lateApp := late.scan()
	first.openAndSignIn(ada, nil)
	first.open(ownFactor)
	if first.scan().app == lateApp.app {
		t.Fatal("got the same secret in two sessions, want two")
	}
	first.Want("a code of another session", http.StatusBadRequest, first.update("confirm", lateApp.code(p, 0)))
	f := first.enrol()
	before := p.storedFactor(ada)
	if got := late.update("confirm", lateApp.code(p, 0)); got.Status != http.StatusBadRequest ||
		!strings.Contains(late.page, "just turned on") || strings.Contains(late.page, f.recovery[0]) {
		t.Errorf("too late: got %d %s, want 400 with the reason, and no codes", got.Status, late.page)
	}
	if diff := cmp.Diff(before, p.storedFactor(ada)); diff != "" {
		t.Errorf("it has changed (-was +is):\n%s", diff)
	}
}

// TestShowSecondFactor_RecoveryCodes checks that a session shows its codes for ten minutes, and can make new codes.
func TestShowSecondFactor_RecoveryCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	b, f := p.enrolAda()
	other := p.startPending(ada)
	other.confirm(f.code(p, 0))
	shown := func(b *browser) int {
		b.open(ownFactor)
		return len(b.recoveryCodes())
	}
	if first, second := shown(b), shown(other); first != signin.RecoveryCodes || second != 0 {
		t.Errorf("got %d codes, elsewhere %d, want all and none", first, second)
	}
	p.Clock.Advance(10 * time.Minute)
	if now := shown(b); now != 0 || !strings.Contains(b.page, "You have 10 recovery codes left.") {
		t.Errorf("after ten minutes: got %d codes on %s, want how many are left", now, b.page)
	}
	other.Must(http.StatusSeeOther, other.update("new_codes", f.recovery[0]))
	other.open(ownFactor)
	fresh := other.recoveryCodes()
	if len(fresh) != signin.RecoveryCodes || fresh[0] == f.recovery[0] || shown(b) != 0 {
		t.Errorf("got %v, want other codes, in one session", fresh)
	}
	b.Want("an old code", http.StatusBadRequest, b.update("disable", f.recovery[1]))
	if got := b.update("disable", fresh[1]); got.Status != http.StatusSeeOther || p.storedFactor(ada).Confirmed() {
		t.Errorf("a new code: got %d, want 303", got.Status)
	}
}

// TestShowSecondFactor_KindsOfAccount checks that a managed user has a separate factor, and that a test profile has no
// factor.
func TestShowSecondFactor_KindsOfAccount(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.employ(p.Tenant(), "till@example.com")
	merchant := url.Values{"merchant_code": {p.Merchant.Code}}
	b := p.newBrowser()
	b.openAndSignIn("till@example.com", merchant)
	f := b.enrol()
	again := p.newBrowser()
	again.openAndSignIn("till@example.com", merchant)
	again.open("/sign-in")
	if got := again.confirm(f.code(p, 0)); got.Status != http.StatusSeeOther || !again.isSignedIn() {
		t.Errorf("the managed user: got %d %s, want 303", got.Status, got.Body)
	}
	profile := p.TestProfile("developers")
	password := secret.New(herPassword)
	passwords, err := p.App.Store.PasswordOf(p.Tenant(), "new", password).Set(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, table := p.App.Store.Raw()
	err = table.Update("pk", "TESTPROFILES#"+p.Tenant().String()).Range("sk", "TESTPROFILE#"+profile.ID).
		Set("passwords", passwords).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b = p.newBrowser()
	b.openAndSignIn(profile.Username(p.Tenant()), nil)
	b.open(ownFactor)
	if !strings.Contains(b.page, "A test profile has no second factor.") || strings.Contains(b.page, `name="code"`) {
		t.Errorf("a test profile: got %s, want no form", b.page)
	}
	_, cookie, _ := strings.Cut(b.cookie, "=")
	token := rest.NewForms("session", atHost).Token(&http.Cookie{Value: cookie}, "second factor")
	got := b.submit(ownFactor, url.Values{"csrf_token": {token}, "action": {"confirm"}, "code": {"123456"}})
	b.Want("a test profile's form", http.StatusSeeOther, got)
}

// TestShowSecondFactor_PolicyAndLanguage checks that pages load nothing besides themselves, and use the browser's
// language.
func TestShowSecondFactor_PolicyAndLanguage(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	for language, want := range map[string]string{"de-AT, en;q=0.5": "Zweiten Faktor einschalten",
		"pt-BR": "Ativar o segundo fator", "fr": "Turn on the second factor"} {
		b.language = language
		got := b.open(ownFactor)
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.Contains(b.page, "<h1>"+want+"</h1>") || !strings.Contains(policy, "default-src 'none'") ||
			!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(b.page, "<script") ||
			strings.Contains(b.page, " style=") || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got policy %s, page %s, want %s and a strict policy", language, policy, b.page, want)
		}
		b.scan()
	}
	b.language = "en"
	b.open(ownFactor)
	for _, part := range []string{`role="img" aria-label="QR code`, `href="otpauth://totp/Cashwrap:`, `for="code"`} {
		if !strings.Contains(b.page, part) {
			t.Errorf("got %s, want %s in it", b.page, part)
		}
	}
	p.Secret("secret of an app", attribute(b.page[strings.Index(b.page, `href="otpauth`):], "href"))
}
