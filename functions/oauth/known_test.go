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
		stranger := p.browse()
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

// moved returns a browser at an address: this one, with its device cookie, or an unknown one.
func (b *browser) moved(from string, known bool) *browser {
	other := b.browse()
	if other.from = from; known {
		other.device = b.device
	}
	other.open("/sign-in?mode=test")
	return other
}

// TestSignIn_StrangersLockNobodyOut checks that the right password from a known browser or address is accepted while
// strangers have emptied the bucket of the name.
func TestSignIn_StrangersLockNobodyOut(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.employ(p.Tenant(), "till@example.com")
	p.join(p.Tenant(), "bob@example.com")
	for name, more := range map[string]url.Values{ada: nil, "till@example.com": {"merchant_code": {p.Merchant.Code}}} {
		hers, bobs := p.browse(), p.browse()
		hers.from, bobs.from = atHome, atBobs
		hers.enter(name, more)
		bobs.enter("bob@example.com", nil)
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

// TestSignIn_OneBrowserOfSeveralPeople checks that a shared browser, such as a till's, is known to each account.
func TestSignIn_OneBrowserOfSeveralPeople(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	till := p.browse()
	for _, name := range []string{ada, "bob@example.com"} {
		till = till.moved(atHome, true)
		till.enter(name, nil)
	}
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	if got := till.moved(anywhere, true).signIn(ada, herPassword, nil); got.Status != http.StatusSeeOther {
		t.Errorf("got %d, want 303", got.Status)
	}
}

// TestSignIn_AStolenDeviceGivesTenTries checks that a device gives ten passwords, in any spelling of its cookie, and
// none after a new password was set.
func TestSignIn_AStolenDeviceGivesTenTries(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	m := p.join(p.Tenant(), ada)
	hers := p.browse()
	hers.enter(ada, nil)
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	stolen := strings.TrimPrefix(hers.device, "device=")
	for i := range 11 {
		thief := p.browse()
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

// TestSignIn_AMerchantMakesNoDeviceForAUser signs in as a managed user under the user's email address. That makes no
// device of the user's.
func TestSignIn_AMerchantMakesNoDeviceForAUser(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	other := p.OtherShop()
	p.employ(other.Tenant(), ada)
	attacker := p.browse()
	attacker.from = anywhere
	attacker.enter(ada, url.Values{"merchant_code": {other.Merchant.Code}})
	p.Clock.Advance(time.Hour)
	p.tryPasswords(ada, nil)
	got := attacker.moved(anywhere, true).signIn(ada, otherPassword, nil)
	if got.Status != http.StatusTooManyRequests {
		t.Errorf("got %d, want 429", got.Status)
	}
}

// TestSignIn_TheSecondFactorMakesABrowserKnown checks that the password alone sets no device cookie.
func TestSignIn_TheSecondFactorMakesABrowserKnown(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled()
	b := p.pending(ada)
	if b.device != "" {
		t.Errorf("got cookie %s for a password, want none", b.device)
	}
	if b.confirm(f.code(p, 0)); b.device == "" {
		t.Error("got no cookie for the code, want one")
	}
}

// TestPassword_AKnownAddressHasItsOwnTries signs a test profile in with grant_type password.
func TestPassword_AKnownAddressHasItsOwnTries(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile, password := a.profile()
	own := profile.Username(a.Tenant())
	from := func(address, password string) world.Response {
		r := a.form("/token", signingIn(own, password))
		r.From = address
		return a.Do(r)
	}
	a.got(from(atHome, password))
	for i := range 11 {
		from(fmt.Sprint("198.51.100.", i+1), "a wrong one")
	}
	a.tooMany("a stranger", from(anywhere, password))
	a.got(from(atHome, password))
}

// TestSignIn_SameCallsForEveryName compares the calls for known and unknown names, so that the duration does not show
// which names exist. It also compares them while the buckets are empty and the owners get a mail.
func TestSignIn_SameCallsForEveryName(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.Clock.Advance(time.Hour)
	calls := func(name string) (all [][]string) {
		for i := range 12 {
			b := p.browse()
			b.from = fmt.Sprint("198.51.100.", i+1)
			b.open("/sign-in?mode=test")
			form := b.form("/sign-in", url.Values{"username": {name}, "password": {otherPassword}})
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
