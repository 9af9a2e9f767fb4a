package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/signin"
)

// guess enters wrong codes, as slowly as the limit requires, and returns the number of mails that were sent.
func (b *browser) guess(f factor, times int) int {
	b.Helper()
	before := len(b.Mails.Sent())
	for range times {
		b.Clock.Advance(6 * time.Minute)
		if b.open("/sign-in?mode=test"); !strings.Contains(b.page, codePage) { // the session has ended
			b.open(localTarget(b.signIn(b.name, herPassword, b.more)))
		}
		b.Must(http.StatusBadRequest, b.confirm(f.wrongCode(b.people)))
	}
	for b.Relay() > 0 {
	}
	return len(b.Mails.Sent()) - before
}

// newGuesser returns a browser of an attacker who knows the password, but not the code.
func (p people) newGuesser(name string, more url.Values) *browser {
	b := p.newBrowser()
	b.name, b.more = name, more
	return b
}

// codeSignsIn returns true if a code signs in, in a new browser.
func (p people) codeSignsIn(name, password string, code func() string, more url.Values) bool {
	p.Helper()
	b := p.newBrowser()
	p.Clock.Advance(6 * time.Minute)
	b.open("/sign-in?mode=test")
	b.open(localTarget(b.signIn(name, password, more)))
	if b.confirm(code()); strings.Contains(b.page, "Too many wrong codes") {
		return false
	}
	if !b.isSignedIn() {
		p.Errorf("%s: got %s, want a session or the words that there were too many", name, b.page)
	}
	return true
}

// presentCode returns a function that returns the app's present code.
func (f factor) presentCode(p people) func() string { return func() string { return f.code(p, 0) } }

// firstRecoveryCode returns the first recovery code.
func (f factor) firstRecoveryCode() string { return f.recovery[0] }

// TestConfirmSignIn_ManyWrongCodes checks that the person gets a mail after ten wrong codes in a row. After twenty, no
// code of the app is accepted. A recovery code ends the row.
func TestConfirmSignIn_ManyWrongCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	attacker := p.newGuesser(ada, nil)
	for range 2 { // a right code ends the row
		if n := attacker.guess(f, 9); n != 0 {
			t.Errorf("nine wrong codes: got %d mails, want none", n)
		}
		p.Clock.Advance(6 * time.Minute)
		if !p.codeSignsIn(ada, herPassword, f.presentCode(p), nil) {
			t.Fatal("got the right code refused after nine wrong ones")
		}
	}
	if n := attacker.guess(f, 19); n != 1 {
		t.Errorf("19 wrong codes: got %d mails, want one", n)
	}
	if m := p.Mails.Sent(); !strings.EqualFold(m[len(m)-1].To, ada) {
		t.Errorf("got a mail to %s, want to %s", m[len(m)-1].To, ada)
	}
	attacker.guess(f, 1)
	if p.codeSignsIn(ada, herPassword, f.presentCode(p), nil) {
		t.Error("got a code of the app accepted after 20 wrong ones")
	}
	if !p.codeSignsIn(ada, herPassword, f.firstRecoveryCode, nil) ||
		!p.codeSignsIn(ada, herPassword, f.presentCode(p), nil) {
		t.Error("got a recovery code or the code after it refused")
	}
	if n := attacker.guess(f, 10); n != 1 {
		t.Errorf("another row: got %d mails, want one", n)
	}
}

// TestUpdateSecondFactor_WrongCodes checks that wrong codes on the factor's page are counted together with wrong codes
// to sign in.
func TestUpdateSecondFactor_WrongCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	b, f := p.enrolAda()
	for range 5 {
		p.Clock.Advance(6 * time.Minute)
		b.open(ownFactor)
		b.Must(http.StatusBadRequest, b.update("disable", f.wrongCode(p)))
	}
	if n := p.newGuesser(ada, nil).guess(f, 5); n != 1 {
		t.Errorf("got %d mails, want one", n)
	}
	p.newGuesser(ada, nil).guess(f, 10)
	if got := p.storedFactor(ada).Wrong; got != signin.MaxWrong {
		t.Errorf("got %d wrong codes, want %d", got, signin.MaxWrong)
	}
}

// TestConfirmSignIn_NewPasswordAfterWrongCodes checks that after a new password the app's codes are accepted again. The
// test tries an employee's password, set by an owner, and a user's password, set by the platform's operator.
func TestConfirmSignIn_NewPasswordAfterWrongCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	till, asTill := p.employ(p.Tenant(), "till@example.com"), url.Values{"merchant_code": {p.Merchant.Code}}
	b := p.newBrowser()
	b.openAndSignIn(till.Email, asTill)
	tills := b.enrol()
	p.newGuesser(till.Email, asTill).guess(tills, 20)
	if m := p.Mails.Sent(); len(m) != 1 || m[0].To != till.Email {
		t.Errorf("got mails %+v, want one to the employee", m)
	}
	if p.codeSignsIn(till.Email, herPassword, tills.presentCode(p), asTill) {
		t.Error("got the employee's code accepted after 20 wrong ones")
	}
	p.Must(http.StatusOK, p.Send("PUT", "/v0.1/merchants/"+p.Merchant.Code+"/members/"+till.ID, map[string]any{
		"user": map[string]any{"password": otherPassword}}))
	if !p.codeSignsIn(till.Email, otherPassword, tills.presentCode(p), asTill) {
		t.Error("got the employee's code refused after another password")
	}

	_, hers := p.enrolAda()
	p.newGuesser(ada, nil).guess(hers, 20)
	var set struct{ Password string }
	p.Operate(map[string]any{"command": "set_password", "merchant_code": p.Merchant.Code, "mode": "test",
		"email": ada}, &set)
	p.Secret("password", set.Password)
	if !p.codeSignsIn(ada, set.Password, hers.presentCode(p), nil) {
		t.Error("got the user's code refused after another password")
	}
}
