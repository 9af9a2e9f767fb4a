package members_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

const forgetful = "ada@example.com"

// newUser returns a shop with a user who has a password.
func newUser(t *testing.T) shop {
	t.Helper()
	s := newShop(t)
	b, _ := s.open(s.invitationToken(s.invite(forgetful, "role_owner")))
	b.Want("accept", 303, b.accept(firstOne))
	s.RunUntilIdle()
	return s
}

// openPassword loads a page about a forgotten password.
func (s shop) openPassword(path string) (browser, world.Response) {
	s.Helper()
	b := browser{shop: s, path: path}
	page := s.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey})
	b.cookie, _, _ = strings.Cut(page.Header.Get("Set-Cookie"), ";")
	b.csrf = between(string(page.Body), `name="csrf_token" value="`, `"`)
	return b, page
}

// askFor asks for a link to set the password of an address.
func (s shop) askFor(address string) world.Response {
	s.Helper()
	b, _ := s.openPassword("/password")
	return b.Do(world.Request{Method: "POST", Path: b.path, APIKey: world.NoKey, Header: map[string]string{
		"Cookie": b.cookie}, Body: url.Values{"csrf_token": {b.csrf}, "email": {address}}})
}

// link returns the path of the link in the latest mail to the address; "" if no mail has come since the last call.
func (s shop) link(address string) string {
	s.Helper()
	before := len(s.Mails.Sent())
	s.RunUntilIdle()
	for _, m := range s.Mails.Sent()[before:] {
		if token := between(m.Text, "/password/", "\n"); m.To == address && token != "" {
			s.Secret("password token", token)
			return "/password/" + token
		}
	}
	return ""
}

// mustLink asks for a link, and returns its path.
func (s shop) mustLink() string {
	s.Helper()
	s.Want("ask", 200, s.askFor(forgetful))
	path := s.link(forgetful)
	if path == "" {
		s.Fatalf("got mails %+v, want the link", s.Mails.Sent())
	}
	return path
}

// currentPassword returns the operation that set the user's password.
func (s shop) currentPassword() string {
	s.Helper()
	u, err := s.App.Store.UserByEmail(s.Context(), forgetful)
	if err != nil {
		s.Fatal(err)
	}
	return u.Passwords.Current()
}

// TestSetPassword_ByLink sets a password by the mailed link, once. It ends the user's access, and a mail tells the
// user.
func TestSetPassword_ByLink(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	path := s.mustLink()
	b, page := s.openPassword(path)
	for _, part := range []string{forgetful, `autocomplete="new-password"`, `for="password"`} {
		if !strings.Contains(string(page.Body), part) {
			t.Errorf("got page %s, want %s in it", page.Body, part)
		}
	}
	if got := page.Header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("got Referrer-Policy %q, want no-referrer", got)
	}
	before := s.currentPassword()
	for text, want := range map[string]string{"short": "12", "password1234": "common", firstOne: "before", "": "12"} {
		if got := b.accept(text); got.Status != 400 || !strings.Contains(string(got.Body), want) {
			t.Errorf("%q: got %d %s, want 400 with %q", text, got.Status, got.Body, want)
		}
	}
	s.Clock.Advance(time.Second)
	b.Want("set", 303, b.accept(another))
	b.Want("again", 303, b.accept(another))
	b.Want("by another person", 404, b.accept("a third one of those"))
	if now := s.currentPassword(); now == before || !strings.HasPrefix(now, "link ") {
		t.Errorf("got password of %q, want another than of %q", now, before)
	}
	if _, page := s.openPassword(path); page.Status != 200 || strings.Contains(string(page.Body), "<form") ||
		!strings.Contains(string(page.Body), "/sign-in") {
		t.Errorf("afterwards: got %d %s, want a page that leads to sign-in", page.Status, page.Body)
	}
	m, err := s.App.Store.MemberByAddress(t.Context(), s.Tenant(), forgetful)
	if err != nil || !m.AccessEnded.Equal(s.Clock.Now()) {
		t.Errorf("got member %+v, %v; want access ended at %s", m, err, s.Clock.Now())
	}
	s.RunUntilIdle()
	mails := s.Mails.Sent()
	if last := mails[len(mails)-1]; last.To != forgetful || !strings.Contains(last.Text, forgetful) ||
		strings.Contains(last.Text, "/password/") {
		t.Errorf("got mail %+v, want one that tells of the new password", last)
	}
	entries, _ := s.AuditOf("member " + m.ID)
	if len(entries) < 2 || !strings.Contains(strings.Join(entries, " "), "password_set_at") {
		t.Errorf("got audit %v, want the password and the end of access", entries)
	}
}

// TestRequestPasswordLink_UnknownAddress checks that replies and calls hide the known addresses.
func TestRequestPasswordLink_UnknownAddress(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	s.employ("till@example.com", nil)
	known := s.askFor(forgetful)
	calls := func(address string) string {
		p := s.Process()
		defer p.Stop()
		b, _ := s.openPassword("/password")
		p.Steps.Plan(0, 0)
		p.Do(world.Request{Method: "POST", Path: "/password", APIKey: world.NoKey, Header: map[string]string{
			"Cookie": b.cookie}, Body: url.Values{"csrf_token": {b.csrf}, "email": {address}}})
		return fmt.Sprint(p.Steps.Taken())
	}
	want := calls(forgetful)
	s.RunUntilIdle()
	for _, address := range []string{"nobody@example.com", "till@example.com"} {
		before := len(s.Mails.Sent())
		unknown := s.askFor(address)
		if unknown.Status != known.Status || string(unknown.Body) != string(known.Body) {
			t.Errorf("%s: got %d %s, want %d %s", address, unknown.Status, unknown.Body, known.Status, known.Body)
		}
		if got := calls(address); got != want {
			t.Errorf("%s: got calls %s, want %s", address, got, want)
		}
		if s.RunUntilIdle(); len(s.Mails.Sent()) != before {
			t.Errorf("%s: got mails %+v, want none", address, s.Mails.Sent()[before:])
		}
	}
	for _, address := range []string{"", "no address", "a@b.example,c@d.example"} {
		if got := s.askFor(address); got.Status != 400 || !strings.Contains(string(got.Body), `aria-invalid="true"`) {
			t.Errorf("%q: got %d %s, want 400", address, got.Status, got.Body)
		}
	}
}

// TestRequestPasswordLink_Limits checks the limits of links: three to an address, and one more each 20 minutes. The
// reply stays the same. An address on the network may ask ten times.
func TestRequestPasswordLink_Limits(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	for n := range 5 {
		s.Want("ask", 200, s.askFor(forgetful))
		if got := s.link(forgetful) != ""; got != (n < 3) {
			t.Errorf("request %d: got a link: %t, want %t", n+1, got, n < 3)
		}
	}
	s.Clock.Advance(20 * time.Minute)
	if s.mustLink() == "" {
		t.Error("got no link 20 minutes later, want one")
	}
	statuses := map[int]int{}
	for n := range 14 {
		statuses[s.askFor(fmt.Sprintf("user%d@example.com", n)).Status]++
	}
	if statuses[200] < 9 || statuses[429] == 0 {
		t.Errorf("got statuses %v, want about ten of 200, and then 429", statuses)
	}
}

// TestShowPasswordLink_Invalid checks that each invalid link gets the same page, and changes nothing.
func TestShowPasswordLink_Invalid(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	first, second := s.mustLink(), s.mustLink()
	b, _ := s.openPassword(second)
	late := s.mustLink()
	b.Want("set", 303, b.accept(another))
	s.Clock.Advance(20 * time.Minute)
	expired := s.mustLink()
	s.Clock.Advance(signin.PasswordLinkLasts)
	for name, path := range map[string]string{"unknown": "/password/guess", "replaced": first, "replaced, too": late,
		"expired": expired} {
		b, page := s.openPassword(path)
		before := s.currentPassword()
		if set := b.accept("yet another battery"); page.Status != 404 || set.Status != 404 ||
			!strings.Contains(string(page.Body), `/password"`) {
			t.Errorf("%s: got %d %s and then %d, want 404", name, page.Status, page.Body, set.Status)
		}
		if s.currentPassword() != before {
			t.Errorf("%s: the password has changed", name)
		}
	}
}

// TestSetPassword_Forged checks that a form without our cookie or token changes nothing.
func TestSetPassword_Forged(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	path := s.mustLink()
	for name, change := range map[string]func(*browser){
		"no cookie":          func(b *browser) { b.cookie = "" },
		"no token":           func(b *browser) { b.csrf = "" },
		"token of the other": func(b *browser) { other, _ := s.openPassword("/password"); b.csrf = other.csrf },
	} {
		b, _ := s.openPassword(path)
		change(&b)
		before := s.currentPassword()
		if got := b.accept(another); got.Status != 400 || s.currentPassword() != before {
			t.Errorf("%s: got %d %s, want 400 and no new password", name, got.Status, got.Body)
		}
	}
	b, _ := s.openPassword("/password")
	b.csrf = ""
	b.path = "/password"
	if got := b.accept(""); got.Status != 400 || s.link(forgetful) != "" {
		t.Errorf("got %d %s, want 400 and no link", got.Status, got.Body)
	}
}

// TestSetPassword_FirstOfOwner checks that a new merchant's owner gets a link to choose a password, for seven days. A
// second merchant of an owner with a password leads to no link.
func TestSetPassword_FirstOfOwner(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	terms := map[string]any{"email": "owner@example.com", "merchant_code": "MC0WNER001", "mail_owner": true}
	s.NewShop("DE", "EUR", terms)
	path := s.link("owner@example.com")
	s.Clock.Advance(signin.FirstPasswordLasts - time.Second)
	b, page := s.openPassword(path)
	if page.Status != 200 || !strings.Contains(string(page.Body), "owner@example.com") {
		t.Fatalf("got %d %s, want the form", page.Status, page.Body)
	}
	b.Want("set", 303, b.accept(firstOne))
	u, err := s.App.Store.UserByEmail(t.Context(), "owner@example.com")
	if err != nil || len(u.Passwords) != 1 || u.Address() != member.Address("owner@example.com") {
		t.Errorf("got user %+v, %v; want one password", u, err)
	}
	s.NewShop("DE", "EUR", map[string]any{"email": "owner@example.com", "mail_owner": true})
	if path := s.link("owner@example.com"); path != "" {
		t.Errorf("got link %s, want none", path)
	}
}

// TestRequestPasswordLink_NoPassword checks that a stranger cannot become a merchant's owner by asking for a link
// before the operator has sent one.
func TestRequestPasswordLink_NoPassword(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.NewShop("DE", "EUR", map[string]any{"email": "owner@example.com"})
	s.Want("ask", 200, s.askFor("owner@example.com"))
	if path := s.link("owner@example.com"); path != "" {
		t.Errorf("got link %s, want none", path)
	}
}

// TestSetPassword_Crash lets the process die at each step. After a second try no access token of before is accepted,
// and as soon as the password is set, none is.
func TestSetPassword_Crash(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	m, err := s.App.Store.MemberByAddress(t.Context(), s.Tenant(), forgetful)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	world.Everywhere(t, 8, func(step int, fault faults.Fault) []string {
		number++
		text := fmt.Sprintf("battery staple %d of %s", number, fault)
		s.Secret("password", text)
		s.Clock.Advance(20 * time.Minute)
		b, _ := s.openPassword(s.mustLink())
		token, before := s.TokenOf(m), s.currentPassword()
		p := s.Process()
		defer p.Stop()
		p.Steps.Plan(step, fault)
		p.Do(b.request(text))
		taken := p.Steps.Taken()
		read := world.Request{Method: "GET", Path: s.members(), APIKey: token}
		if answer := s.Do(read); s.currentPassword() != before && answer.Status != 401 {
			t.Errorf("%s at step %d of %v: got %d with a token of before, want 401", fault, step, taken, answer.Status)
		}
		s.Want("again", 303, b.accept(text))
		s.Want("a token of before", 401, s.Do(read))
		return taken
	})
}
