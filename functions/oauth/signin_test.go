package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestSignIn_UnknownNameOrWrongPassword checks that the page does not show which names exist.
func TestSignIn_UnknownNameOrWrongPassword(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.employ(p.Tenant(), "till@example.com")
	profile := p.TestProfile("")
	disabled := p.employ(p.Tenant(), "gone@example.com")
	p.disable(p.Tenant(), disabled)
	code := p.Merchant.Code
	seen := map[string][]string{}
	for _, c := range []struct{ what, name, password, merchant string }{
		{"a user's password", ada, otherPassword, ""}, {"no such user", "eve@example.com", otherPassword, ""},
		{"a managed user's", "till@example.com", otherPassword, code},
		{"not managed there", "till@example.com", herPassword, p.Other.Code},
		{"a managed user without the code", "till@example.com", herPassword, ""},
		{"a disabled one", "gone@example.com", herPassword, code}, {"no merchant", ada, otherPassword, "MC00000000"},
		{"no code", "till@example.com", herPassword, "x"}, {"a profile's", profile.Username(p.Tenant()), otherPassword, ""},
		{"no profile", "tp_nobody@" + code, otherPassword, ""}, {"no address", "nobody", otherPassword, ""},
		{"letters of another case", ada, strings.ToUpper(herPassword), ""},
	} {
		b := p.newBrowser()
		b.open("/sign-in?mode=test")
		got := b.signIn(c.name, c.password, url.Values{"merchant_code": {c.merchant}})
		page := regexp.MustCompile(` value="[^"]*"`).ReplaceAllString(string(got.Body), "")
		seen[fmt.Sprint(got.Status, " ", page)] = append(seen[fmt.Sprint(got.Status, " ", page)], c.what)
		if got.Status != http.StatusBadRequest || !strings.Contains(b.page, "Name and password do not match.") ||
			strings.Contains(b.page, c.password) {
			t.Errorf("%s: got %d %s, want 400 and the page without the password", c.what, got.Status, got.Body)
		}
		p.Clock.Advance(10 * time.Minute)
	}
	if len(seen) != 1 {
		t.Errorf("got %d different pages, want one: %v", len(seen), seen)
	}
}

// TestSignIn_InvalidForm checks that a refused form begins no session.
func TestSignIn_InvalidForm(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	attacker := p.newBrowser()
	attacker.open("/sign-in")
	for name, more := range map[string]url.Values{
		"no token": {"csrf_token": {""}}, "a wrong token": {"csrf_token": {"made up"}},
		"another browser's token": {"csrf_token": {attacker.filledForm("/sign-in", nil).Get("csrf_token")}},
		"no name":                 {"username": {""}}, "no password": {"password": {""}},
		"a long name": {"username": {strings.Repeat("x", 256)}}, "a long password": {"password": {strings.Repeat("x", 257)}},
		"a control character": {"password": {herPassword + "\n"}},
		"a long merchant":     {"merchant_code": {strings.Repeat("x", 33)}},
		"another mode":        {"mode": {"T"}},
	} {
		b := p.newBrowser()
		b.open("/sign-in")
		before := b.cookie
		got := b.signIn(ada, herPassword, more)
		if got.Status != http.StatusBadRequest || !strings.Contains(b.page, `role="alert"`) || b.cookie != before {
			t.Errorf("%s: got %d %s with cookie %s, want 400 and the same cookie", name, got.Status, got.Body, b.cookie)
		}
	}
}

// TestForms_FromOtherSite sends forms without the cookie, which is Lax. The test checks that such forms do nothing.
// They also set no cookie, which would replace the cookie of a person who is signed in.
func TestForms_FromOtherSite(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	consent := b.filledForm("/authorize", url.Values{"decision": {"allow"}})
	const next = "/authorize?client_id=x"
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		to     string
	}{
		{"/sign-in", url.Values{"username": {ada}, "password": {herPassword}}, 303, "/sign-in"},
		{"/sign-in", url.Values{"username": {ada}, "password": {herPassword}, "continue": {"client_id=x"}}, 303, next},
		{"/sign-in", url.Values{"sign_out": {"true"}}, 303, "/sign-in"},
		{"/sign-in", url.Values{"username": {strings.Repeat("x", 256)}}, 400, ""},
		{"/authorize", consent, 302, p.authorizePath(nil)},
		{"/authorize", url.Values{"decision": {"allow"}}, 400, ""},
		{codePage, url.Values{"code": {"1"}}, 303, "/sign-in"},
		{codePage, url.Values{"code": {"1"}, "continue": {"client_id=x"}}, 303, next},
		{codePage, url.Values{}, 400, ""},
		{ownFactor, url.Values{"action": {"disable"}, "code": {"1"}}, 303, "/sign-in"},
		{ownFactor, url.Values{"action": {"disable"}}, 400, ""},
		{ownSessions, url.Values{"session": {"others"}}, 303, "/sign-in"},
		{ownSessions, url.Values{}, 400, ""},
		{ownApps, url.Values{"client_id": {"x"}}, 303, "/sign-in"},
		{ownApps, url.Values{}, 400, ""},
	} {
		c.form.Set("csrf_token", "made up")
		request := b.request("POST", c.path, c.form)
		delete(request.Header, "Cookie")
		got := b.Do(request)
		if set := got.Header.Get("Set-Cookie"); got.Status != c.status || localTarget(got) != c.to || set != "" {
			t.Errorf("%s, %v: got %d to %s with cookie %q, want %d to %q without one", c.path, c.form, got.Status,
				localTarget(got), set, c.status, c.to)
		}
	}
	if b.open("/sign-in"); !strings.Contains(b.page, "You are signed in as Ada@example.com.") {
		t.Errorf("got %s, want her signed in", b.page)
	}
}

// TestSignIn_ContinueElsewhere checks that no value of continue leads to another site.
func TestSignIn_ContinueElsewhere(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	const home = "http://cashwrap.test/account"
	for _, target := range []string{"https://evil.example/", "//evil.example/", `\\evil.example`, "/\\evil.example",
		"javascript:alert(1)", "?x=https://evil.example", "#@evil.example", "@evil.example", ".evil.example/",
		"%0d%0aLocation:x", "../sign-in", "a=b;c=d", "%zz", ""} {
		b := p.newBrowser()
		b.open("/sign-in?mode=test")
		got := b.signIn(ada, herPassword, url.Values{"continue": {target}})
		to := got.Header.Get("Location")
		u, err := url.Parse(to)
		if got.Status != http.StatusSeeOther || err != nil || u.Host != "cashwrap.test" ||
			to != home && (u.Path != "/authorize" || u.Fragment != "") || target == "" && to != home {
			t.Errorf("%q: got %d to %s, want the account's page, or /authorize", target, got.Status, to)
		}
		b.open("/sign-in?" + url.Values{"continue": {target + "x"}}.Encode())
		if link := attribute(b.page[strings.Index(b.page, "<a "):], "href"); link != home &&
			!strings.HasPrefix(link, "http://cashwrap.test/authorize?") {
			t.Errorf("%q: got link %s, want the account's page, or /authorize", target, link)
		}
		p.Clock.Advance(10 * time.Minute)
	}
}

// TestSignIn_NewCookie checks that each sign-in gets a new cookie, which no other party knew, and ends the previous
// session.
func TestSignIn_NewCookie(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	b := p.newBrowser()
	b.open("/sign-in")
	planted := b.cookie
	b.openAndSignIn(ada, nil)
	first := b.cookie
	b.submit("/sign-in", b.filledForm("/sign-in", nil)) // a form without name and password changes nothing
	b.open("/sign-in")
	if !strings.Contains(b.page, "You are signed in as Ada@example.com.") || first == planted {
		t.Errorf("got %s with cookie %s, want her signed in under a new cookie", b.page, first)
	}
	page := b.page
	form := url.Values{"csrf_token": {b.filledForm("/sign-in", nil).Get("csrf_token")}, "username": {"bob@example.com"},
		"password": {herPassword}}
	b.Must(http.StatusSeeOther, b.submit("/sign-in", form))
	second := b.cookie
	for name, cookie := range map[string]string{"planted": planted, "the first": first, "none": "",
		"no cookie of ours": "session=x"} {
		b.cookie = cookie
		b.open("/sign-in")
		if strings.Contains(b.page, "You are signed in") {
			t.Errorf("%s: got %s, want nobody signed in", name, b.page)
		}
	}
	b.cookie, b.page = second, page
	signOut := b.filledForm("/sign-in", url.Values{"sign_out": {"true"}})
	b.Want("sign out by a page of the session before", http.StatusBadRequest, b.submit("/sign-in", signOut))
	b.open("/sign-in")
	if !strings.Contains(b.page, "You are signed in as bob@example.com.") {
		t.Errorf("got %s, want bob signed in", b.page)
	}
	got := b.submit("/sign-in", b.filledForm("/sign-in", url.Values{"sign_out": {"true"}}))
	if got.Status != http.StatusSeeOther || localTarget(got) != "/sign-in" {
		t.Errorf("sign out: got %d to %s, want 303 to /sign-in", got.Status, got.Header.Get("Location"))
	}
	b.cookie = second
	b.open("/sign-in")
	if strings.Contains(b.page, "You are signed in") {
		t.Errorf("got %s, want nobody signed in", b.page)
	}
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	got = b.submit("/sign-in", b.filledForm("/sign-in", url.Values{"sign_out": {"true"}}))
	if b.open(localTarget(got)); !strings.HasPrefix(localTarget(got), "/authorize?") ||
		!strings.Contains(b.page, `name="password"`) {
		t.Errorf("got %s at %s, want the client's page to sign in", b.page, localTarget(got))
	}
}

// TestPages_Headers checks that pages cannot be framed, cached or scripted, and that other sites cannot send our forms.
func TestPages_Headers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	check := func(name string, got world.Response) {
		t.Helper()
		for header, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff"} {
			if seen := got.Header.Get(header); seen != want {
				t.Errorf("%s: got %s %s, want %s", name, header, seen, want)
			}
		}
		policy := got.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'",
			"form-action 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: got policy %s, want %s in it", name, policy, part)
			}
		}
		if strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") ||
			strings.Contains(b.page, "<script") {
			t.Errorf("%s: got policy %s, want no script", name, policy)
		}
		if set := got.Header.Get("Set-Cookie"); set != "" && !strings.HasSuffix(set, "; Path=/; HttpOnly; SameSite=Lax") {
			t.Errorf("%s: got cookie %s, want one that other sites cannot use", name, set)
		}
	}
	check("an unknown client", b.open(p.authorizePath(url.Values{"client_id": {"client_other"}})))
	check("the form of a client", b.open(p.authorizePath(nil)))
	check("what is wrong", b.signIn(ada, otherPassword, nil))
	check("signing in", b.signIn(ada, herPassword, nil))
	check("signed in", b.open("/sign-in"))
	check("consent", b.open(p.authorizePath(nil)))
	check("the answer", b.decide("allow", nil))
}

// TestPages_Language checks that the pages use the browser's language if they are available in that language.
func TestPages_Language(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.OtherShop().Tenant(), ada)
	for accepted, want := range map[string][3]string{
		"de-AT,de;q=0.9,en;q=0.5": {`lang="de"`, "Anmelden", "Voreingestellter Händler"},
		"pt-BR":                   {`lang="pt"`, "Entrar", "Comerciante padrão"},
		"fr,pt;q=0.5,de;q=0.4":    {`lang="pt"`, "Entrar", "Comerciante padrão"},
		"fr":                      {`lang="en"`, "Sign in", "Default merchant"},
		"":                        {`lang="en"`, "Sign in", "Default merchant"},
		"en;q=nonsense, \x7f":     {`lang="en"`, "Sign in", "Default merchant"},
	} {
		b := p.newBrowser()
		b.language = accepted
		b.open(p.authorizePath(nil))
		if !strings.Contains(b.page, want[0]) || !strings.Contains(b.page, want[1]) {
			t.Errorf("%s: got page %s, want %v in it", accepted, b.page, want)
		}
		b.open(localTarget(b.signIn(ada, herPassword, nil)))
		if !strings.Contains(b.page, want[0]) || !strings.Contains(b.page, want[2]) {
			t.Errorf("%s: got page %s, want %v in it", accepted, b.page, want)
		}
		p.Clock.Advance(10 * time.Minute)
	}
}

// TestSignIn_Interrupted repeats interrupted requests. The test checks that the person is signed in, and that the
// client gets one working code.
func TestSignIn_Interrupted(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.Attempts(7, func(try string, send func(world.Request) world.Response) {
		p.Clock.Advance(10 * time.Minute)
		b := p.newBrowser()
		b.open(p.authorizePath(nil))
		page := b.page
		request := b.request("POST", "/sign-in",
			b.filledForm("/sign-in", url.Values{"username": {ada}, "password": {herPassword}}))
		if got := send(request); got.Status != http.StatusSeeOther {
			b.page = page
			if again := b.signIn(ada, herPassword, nil); again.Status != http.StatusSeeOther {
				t.Errorf("%s: got %d, then %d %s, want 303", try, got.Status, again.Status, again.Body)
			}
		} else {
			b.take(got)
		}
		b.open("/sign-in")
		if !strings.Contains(b.page, "You are signed in as Ada@example.com.") {
			t.Errorf("%s: got %s, want her signed in", try, b.page)
		}
	})
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	p.Attempts(7, func(try string, send func(world.Request) world.Response) {
		b.open(p.authorizePath(nil))
		page := b.page
		got := send(b.request("POST", "/authorize", b.filledForm("/authorize", url.Values{"decision": {"allow"}})))
		if got.Status != http.StatusFound {
			b.page = page
			got = b.decide("allow", nil)
		}
		b.Secret("code", redirectQuery(got).Get("code"))
		if stored := p.storedCode(got); stored.Client != p.client.ID || stored.Grant != "" {
			t.Errorf("%s: got %+v, want a code of the client's", try, stored)
		}
	})
}

// TestSignIn_TooManyPasswords checks that two buckets limit the passwords that are checked. One bucket is for an
// account. The other is for a network address, even if it sends a different name with each password.
func TestSignIn_TooManyPasswords(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	p.Clock.Advance(time.Hour) // because accepting the invitation took a password from the bucket
	b.open("/sign-in?mode=test")
	guess := func(tries int, name func(n int) string) (hashes, refused int) {
		for n := range tries {
			form := b.filledForm("/sign-in", url.Values{"username": {name(n)}, "password": {otherPassword}})
			got := b.Do(b.request("POST", "/sign-in", form))
			switch {
			case got.Status == http.StatusBadRequest:
				hashes++ // checking a wrong password computes a hash
			case got.Status == http.StatusTooManyRequests && got.Header.Get("Retry-After") != "":
				refused++
			default:
				t.Fatalf("got %d %s, want 400 or 429", got.Status, got.Body)
			}
		}
		return hashes, refused
	}
	hashes, refused := guess(60, func(int) string { return ada })
	if diff := cmp.Diff([2]int{10, 50}, [2]int{hashes, refused}); diff != "" {
		t.Errorf("one account (-want +got):\n%s", diff)
	}
	page := b.page
	for name, merchant := range map[string]string{"the right password": "", "a merchant beside it": p.Merchant.Code} {
		got := b.signIn(ada, herPassword, url.Values{"merchant_code": {merchant}})
		b.Want("with "+name, http.StatusTooManyRequests, got)
		b.page = page
	}
	p.Clock.Advance(6 * time.Minute)
	counts := [2]int{}
	counts[0], counts[1] = guess(60, func(n int) string { return fmt.Sprintf("guess-%d@example.com", n) })
	if diff := cmp.Diff([2]int{35, 25}, counts); diff != "" { // 30 passwords at once, and one every ten seconds
		t.Errorf("one address (-want +got):\n%s", diff)
	}
	p.Clock.Advance(6 * time.Minute)
	b.Want("later", http.StatusSeeOther, b.signIn(ada, herPassword, nil))
}

// TestSignIn_TooManyPasswordsConcurrently checks that the limit also holds for concurrent requests. Passwords beyond
// the limit are refused before a hash is computed.
func TestSignIn_TooManyPasswordsConcurrently(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.Clock.Advance(time.Hour)
	b := p.newBrowser()
	b.open("/sign-in?mode=test")
	r := b.request("POST", "/sign-in",
		b.filledForm("/sign-in", url.Values{"username": {ada}, "password": {otherPassword}}))
	counted := p.DoConcurrently(300, r)
	want := map[int]int{http.StatusBadRequest: 10, http.StatusTooManyRequests: 290}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Errorf("300 at once (-want +got):\n%s", diff)
	}
}
