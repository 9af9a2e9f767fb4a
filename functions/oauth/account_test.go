package oauth_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

const (
	ownAccount  = "/account"
	ownSessions = "/account/sessions"
	ownApps     = "/account/applications"

	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	iPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Version/19.0 Mobile/15E148 Safari/604.1"
)

var shownSessions = regexp.MustCompile(`(?s)<strong id="session-\d+">([^<]*)</strong>.*?name="session" value="([^"]*)"`)

// shownSession is a session on an account's page.
type shownSession struct{ browser, id string }

// sessions returns the sessions on the account's page.
func (b *browser) sessions() (all []shownSession) {
	b.Helper()
	b.Must(http.StatusOK, b.open(ownAccount))
	for _, found := range shownSessions.FindAllStringSubmatch(b.page, -1) {
		all = append(all, shownSession{found[1], found[2]})
	}
	return all
}

// endSession sends the page's form. The value names a session, or is "others".
func (b *browser) endSession(value string) world.Response {
	b.Helper()
	return b.submit(ownSessions, b.filledForm(ownSessions, url.Values{"session": {value}}))
}

// inBrowser returns a browser of the kind that is signed in.
func (p people) inBrowser(agent, name string, more url.Values) *browser {
	p.Helper()
	b := p.newBrowser()
	b.agent = agent
	b.openAndSignIn(name, more)
	return b
}

// TestShowAccount_Sessions checks that the page lists the account's sessions, its own first, and no other account's.
func TestShowAccount_Sessions(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	first, second := p.inBrowser(firefox, ada, nil), p.inBrowser(iPhone, ada, nil)
	p.inBrowser("<b>Firefox</b>", "bob@example.com", nil)
	p.Clock.Advance(10 * time.Minute)
	got := first.sessions()
	if len(got) != 2 || got[0].browser != "Firefox, Linux" || got[1].browser != "Safari, iPhone" ||
		!strings.Contains(first.page, "Signed in 10 min ago") || strings.Count(first.page, "This browser") != 1 {
		t.Errorf("got %v on %s, want her two sessions", got, first.page)
	}
	if other := second.sessions(); len(other) != 2 || other[0] != got[1] || other[1] != got[0] {
		t.Errorf("in the other browser: got %v, want those of %v, its own first", other, got)
	}
	_, cookie, _ := strings.Cut(second.cookie, "=")
	if strings.Contains(first.page, cookie) || strings.Contains(first.page, identity.Hash(cookie)) {
		t.Error("the page shows the other session's cookie or its hash")
	}
	p.Clock.Advance(50 * time.Minute)
	if third := p.inBrowser("", ada, nil); len(third.sessions()) != 1 || !strings.Contains(third.page, "Unknown browser") {
		t.Errorf("after an hour: got %v, want only the new one", third.sessions())
	}
}

// TestShowAccount_NotSignedIn checks that the page and its forms need a full session.
func TestShowAccount_NotSignedIn(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	owner, _ := p.enrolAda()
	p.allowApp(owner, nil)
	owner.sessions()
	sessions := owner.filledForm(ownSessions, url.Values{"session": {"others"}})
	application := owner.filledForm(ownApps, url.Values{"client_id": {p.client.ID}})
	for name, b := range map[string]*browser{"nobody": p.newBrowser(), "pending": p.startPending(ada)} {
		for what, got := range map[string]world.Response{
			"the page":     b.Do(b.request("GET", ownAccount, nil)),
			"sessions":     b.Do(b.request("POST", ownSessions, sessions)),
			"applications": b.Do(b.request("POST", ownApps, application)),
		} {
			if got.Status != http.StatusSeeOther || localTarget(got) != "/sign-in" {
				t.Errorf("%s, %s: got %d to %s, want 303 to sign in", name, what, got.Status, got.Header.Get("Location"))
			}
		}
	}
	if got := owner.sessions(); len(got) != 2 || !strings.Contains(owner.page, "Waiting for the second factor") {
		t.Errorf("got %v on %s, want hers and the one that waits for the code", got, owner.page)
	}
	if got := owner.apps(); len(got) != 1 {
		t.Errorf("got applications %v, want one", got)
	}
}

// TestShowAccount_PolicyAndLanguage checks that the page has no script and a strict policy, in each language.
func TestShowAccount_PolicyAndLanguage(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.inBrowser("", ada, nil)
	for language, want := range map[string]string{"de-AT, en;q=0.5": "Ihr Konto", "pt-BR": "Sua conta",
		"fr": "Your account"} {
		b.language = language
		got := b.open(ownAccount)
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.Contains(b.page, "<h1>"+want+"</h1>") || !strings.Contains(policy, "default-src 'none'") ||
			strings.Contains(policy, "script-src") || strings.Contains(b.page, "<script") ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got policy %s, page %s, want %s and a strict policy", language, policy, b.page, want)
		}
	}
}

// TestEndSessions checks that an ended session is refused at once, and that only sessions of the account can be ended.
func TestEndSessions(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	b, other, third := p.inBrowser(firefox, ada, nil), p.inBrowser(iPhone, ada, nil), p.inBrowser("", ada, nil)
	bob := p.inBrowser("", "bob@example.com", nil)
	bobs := bob.sessions()[0].id
	_, cookie, _ := strings.Cut(other.cookie, "=")
	shown := b.sessions()
	page := b.page
	for name, id := range map[string]string{"another account's": bobs, "a cookie": cookie,
		"a hash": identity.Hash(cookie), "unknown": strings.Repeat("0", 32)} {
		b.page = page
		if got := b.endSession(id); got.Status != http.StatusSeeOther || localTarget(got) != ownAccount {
			t.Errorf("%s: got %d to %s, want 303 to the page", name, got.Status, localTarget(got))
		}
	}
	for name, more := range map[string]url.Values{"no token": {"csrf_token": {""}}, "a wrong token": {"csrf_token": {"x"}},
		"another browser's token": {"csrf_token": {bob.filledForm(ownSessions, nil).Get("csrf_token")}},
		"no session":              {"session": {""}}, "a long id": {"session": {strings.Repeat("x", 65)}}} {
		b.page = page
		form := b.filledForm(ownSessions, url.Values{"session": {"others"}})
		for field, value := range more {
			form[field] = value
		}
		if got := b.submit(ownSessions, form); got.Status != http.StatusBadRequest ||
			!strings.Contains(b.page, `role="alert"`) {
			t.Errorf("%s: got %d, want 400 and the page again", name, got.Status)
		}
	}
	if len(b.sessions()) != 3 || !other.isSignedIn() || !third.isSignedIn() || !bob.isSignedIn() {
		t.Fatal("a session has ended, want all open")
	}
	at := slices.IndexFunc(shown, func(s shownSession) bool { return s.browser == "Safari, iPhone" })
	if got := b.endSession(shown[at].id); localTarget(got) != ownAccount || other.isSignedIn() || !third.isSignedIn() {
		t.Errorf("got %d to %s, want only the other session ended", got.Status, localTarget(got))
	}
	p.inBrowser("", ada, nil)
	b.sessions()
	if got := b.endSession("others"); localTarget(got) != ownAccount || third.isSignedIn() || !b.isSignedIn() ||
		!bob.isSignedIn() {
		t.Errorf("got %d to %s, want all others of the account ended", got.Status, localTarget(got))
	}
	left := b.sessions()
	if len(left) != 1 {
		t.Errorf("got %v, want only this one", left)
	}
	if got := b.endSession(left[0].id); localTarget(got) != "/sign-in" || b.isSignedIn() {
		t.Errorf("its own: got %d to %s, want it signed out", got.Status, localTarget(got))
	}
}

// TestEndSessions_BeforeSecondFactor checks that a session from before the second factor may end others, because that
// gives no access to anyone.
func TestEndSessions_BeforeSecondFactor(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	early, owner := p.inBrowser("", ada, nil), p.inBrowser("", ada, nil)
	owner.enrol()
	early.sessions()
	if got := early.endSession("others"); localTarget(got) != ownAccount || owner.isSignedIn() || !early.isSignedIn() {
		t.Errorf("got %d to %s, want the other ended", got.Status, localTarget(got))
	}
}

// TestEndSessions_Interrupted repeats interrupted requests. The test checks that other sessions then have ended.
func TestEndSessions_Interrupted(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.inBrowser("", ada, nil)
	p.Attempts(6, func(try string, send func(world.Request) world.Response) {
		p.Clock.Advance(20 * time.Minute)
		b = p.inBrowser("", ada, nil)
		other := p.inBrowser("", ada, nil)
		b.sessions()
		page := b.page
		request := b.request("POST", ownSessions, b.filledForm(ownSessions, url.Values{"session": {"others"}}))
		if got := send(request); got.Status != http.StatusSeeOther {
			b.page = page
			b.Must(http.StatusSeeOther, b.endSession("others"))
		}
		if other.isSignedIn() || len(b.sessions()) != 1 {
			t.Errorf("%s: got the other session open, want it ended", try)
		}
	})
}
