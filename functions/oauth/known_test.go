package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const (
	atHome   = "192.0.2.10"
	atBobs   = "192.0.2.11"
	away     = "192.0.2.98"
	anywhere = "192.0.2.99"
)

// tryPasswords empties the bucket of a name with wrong passwords from different addresses.
func (p people) tryPasswords(name string, more url.Values) {
	p.Helper()
	for i := range 11 {
		stranger := p.newBrowser()
		stranger.from = fmt.Sprint("198.51.100.", i+1)
		stranger.open("/sign-in?mode=test")
		want := http.StatusBadRequest
		if i == 10 {
			want = http.StatusTooManyRequests
		}
		if got := stranger.signIn(name, otherPassword, more); got.Status != want {
			p.Fatalf("stranger %d as %s: got %d, want %d", i, name, got.Status, want)
		}
	}
}

// moved returns another browser at the network address from, on the sign-in page. If known is true, the other browser
// has this browser's device cookie.
func (b *browser) moved(from string, known bool) *browser {
	other := b.newBrowser()
	if other.from = from; known {
		other.device = b.device
	}
	other.open("/sign-in?mode=test")
	return other
}

// TestSignIn_KnownBrowserDuringAttack checks that the right password from a known browser or address is accepted while
// strangers have emptied the bucket of the name.
func TestSignIn_KnownBrowserDuringAttack(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.employ(p.Tenant(), "till@example.com")
	p.join(p.Tenant(), "bob@example.com")
	for name, more := range map[string]url.Values{ada: nil, "till@example.com": {"merchant_code": {p.Merchant.Code}}} {
		hers, bobs := p.newBrowser(), p.newBrowser()
		hers.from, bobs.from = atHome, atBobs
		hers.openAndSignIn(name, more)
		bobs.openAndSignIn("bob@example.com", nil)
		p.Clock.Advance(time.Hour)
		p.tryPasswords(name, more)
		for what, c := range map[string]struct {
			in   *browser
			want int
		}{
			"her browser, away from it":     {hers.moved(away, true), http.StatusSeeOther},
			"another browser, at her place": {hers.moved(atHome, false), http.StatusSeeOther},
			"another browser, anywhere":     {hers.moved(anywhere, false), http.StatusTooManyRequests},
			"a browser of somebody else":    {bobs.moved(anywhere, true), http.StatusTooManyRequests},
			"at somebody else's place":      {bobs.moved(atBobs, false), http.StatusTooManyRequests},
		} {
			if got := c.in.signIn(name, herPassword, more); got.Status != c.want {
				t.Errorf("%s, %s: got %d, want %d", name, what, got.Status, c.want)
			}
		}
	}
}

// TestSignIn_SharedBrowser checks that a shared browser, such as a till's, becomes known to each account that signs in.
func TestSignIn_SharedBrowser(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	till := p.newBrowser()
	for _, name := range []string{ada, "bob@example.com"} {
		till = till.moved(atHome, true)
		till.openAndSignIn(name, nil)
	}
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	if got := till.moved(anywhere, true).signIn(ada, herPassword, nil); got.Status != http.StatusSeeOther {
		t.Errorf("got %d, want 303", got.Status)
	}
}

// TestSignIn_StolenDevice checks that a stolen device cookie, in any spelling, allows ten passwords. Once the password
// has changed, it allows none.
func TestSignIn_StolenDevice(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	m := p.join(p.Tenant(), ada)
	hers := p.newBrowser()
	hers.openAndSignIn(ada, nil)
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	stolen := strings.TrimPrefix(hers.device, "device=")
	for i := range 11 {
		thief := p.newBrowser()
		thief.from = fmt.Sprint("203.0.113.", i+1)
		thief.device = "device=" + []string{stolen, stolen + "." + stolen, "x." + stolen, stolen + "."}[i%4]
		thief.open("/sign-in?mode=test")
		want := http.StatusBadRequest
		if i == 10 {
			want = http.StatusTooManyRequests
		}
		if got := thief.signIn(ada, otherPassword, nil); got.Status != want {
			t.Errorf("try %d: got %d, want %d", i, got.Status, want)
		}
	}
	var set struct{ Password string }
	p.Operate(map[string]any{"command": "set_password", "merchant_code": p.Merchant.Code, "mode": "test",
		"email": m.Email}, &set)
	p.Secret("password", set.Password)
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	for what, b := range map[string]*browser{"device": hers.moved(anywhere, true), "address": hers.moved("", false)} {
		b.Want(what+" of the password before", http.StatusTooManyRequests, b.signIn(ada, set.Password, nil))
	}
}

// TestSignIn_ManagedUserWithUsersAddress checks that a managed user's sign-in does not make the browser known for the
// user with the same e-mail address.
func TestSignIn_ManagedUserWithUsersAddress(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	other := p.OtherShop()
	p.employ(other.Tenant(), ada)
	attacker := p.newBrowser()
	attacker.from = anywhere
	attacker.openAndSignIn(ada, url.Values{"merchant_code": {other.Merchant.Code}})
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	got := attacker.moved(anywhere, true).signIn(ada, otherPassword, nil)
	if got.Status != http.StatusTooManyRequests {
		t.Errorf("got %d, want 429", got.Status)
	}
}

// TestConfirmSignIn_MakesBrowserKnown checks that only the second factor's code sets a device cookie, not the password
// alone.
func TestConfirmSignIn_MakesBrowserKnown(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	b := p.startPending(ada)
	if b.device != "" {
		t.Errorf("got cookie %s for a password, want none", b.device)
	}
	if b.confirm(f.code(p, 0)); b.device == "" {
		t.Error("got no cookie for the code, want one")
	}
}

// TestCreateToken_PasswordFromKnownAddress signs a test profile in from a known address while the bucket of its name is
// empty.
func TestCreateToken_PasswordFromKnownAddress(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile, password := a.createProfile()
	own := profile.Username(a.Tenant())
	from := func(address, password string) world.Response {
		r := a.form("/token", passwordBody(own, password))
		r.From = address
		return a.Do(r)
	}
	a.readTokens(from(atHome, password))
	for i := range 11 {
		from(fmt.Sprint("198.51.100.", i+1), "a wrong one")
	}
	a.wantTooMany("a stranger", from(anywhere, password))
	a.readTokens(from(atHome, password))
}

// TestSignIn_SameCallsForEveryName compares the calls for known and unknown names, so that the duration does not show
// which names exist. The test compares the calls also while the buckets are empty and the owners get a mail.
func TestSignIn_SameCallsForEveryName(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.Clock.Advance(time.Hour)
	calls := func(name string) (all [][]string) {
		for i := range 12 {
			b := p.newBrowser()
			b.from = fmt.Sprint("198.51.100.", i+1)
			b.open("/sign-in?mode=test")
			form := b.filledForm("/sign-in", url.Values{"username": {name}, "password": {otherPassword}})
			process := p.Process()
			process.Do(b.request("POST", "/sign-in", form))
			all = append(all, process.Steps.Taken())
		}
		p.Clock.Advance(24 * time.Hour)
		return all
	}
	hers := calls(ada)
	if diff := cmp.Diff(hers, calls("nobody@example.com")); diff != "" {
		t.Errorf("got other calls for a name that is nobody's (-ada +nobody):\n%s", diff)
	}
	if len(hers) == 0 || !slices.Contains(hers[10], "PutItem") || slices.Contains(hers[9], "PutItem") {
		t.Errorf("got calls %v, want the mail with the eleventh try", hers)
	}
}
