package members_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
)

// TestAcceptInvitation_WithABrowser accepts an invitation after a refused password, in the merchant's language.
func TestAcceptInvitation_WithABrowser(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	web := chromium.Web{"cashwrap.test": s.Main().Checked()}
	for email, o := range map[string]chromium.Options{
		"ada@example.com": {}, "eve@example.com": {Dark: true, Width: 360, NoScript: true},
	} {
		invited := s.invite(email, "role_accountant")
		visitor := chromium.Open(t, web, o)
		visitor.Expect("400 POST")
		tab := visitor.Visit("http://cashwrap.test/invitations/" + s.invitationToken(invited))
		tab.Look("invitation", "Bei Kaffeehaus mitarbeiten")
		accept := func(password string) {
			tab.Field("Passwort wählen").Fill(password)
			tab.Button("Einladung annehmen").Click()
		}
		accept("two long\u00a0\u0085lines")
		tab.Role("alert", "").Wait()
		tab.Look("invitation-refused", "Bei Kaffeehaus mitarbeiten")
		accept(firstOne)
		tab.Look("invitation-accepted", "Sie gehören jetzt zu Kaffeehaus")
		if got := s.read(invited); got.Status != "accepted" {
			t.Errorf("got %+v, want the invitation accepted", got)
		}
	}
}

// TestSetPassword_WithABrowser asks for a link on the page for a forgotten password, and sets the password by the link.
func TestSetPassword_WithABrowser(t *testing.T) {
	t.Parallel()
	s := newUser(t)
	web := chromium.Web{"cashwrap.test": s.Main().Checked()}
	for password, o := range map[string]chromium.Options{
		another: {}, "a third battery staple": {Dark: true, Width: 360, NoScript: true},
	} {
		visitor := chromium.Open(t, web, o)
		visitor.Expect("400 POST", "404 GET")
		tab := visitor.Visit("http://cashwrap.test/password")
		tab.Look("password-forgotten", "Forgotten your password?")
		tab.Field("E-mail").Fill(forgetful)
		tab.Button("Send the link").Click()
		tab.Look("password-sent", "Check your e-mails")
		tab = visitor.Visit("http://cashwrap.test" + s.link(forgetful))
		tab.Look("password-new", "Choose a new password")
		tab.Field("New password").Fill(firstOne)
		tab.Button("Save the password").Click()
		tab.Role("alert", "").Wait()
		tab.Look("password-refused", "Choose a new password")
		tab.Field("New password").Fill(password)
		tab.Button("Save the password").Click()
		tab.Look("password-set", "Your new password is set")
		visitor.Visit("http://cashwrap.test/password/guess").Look("password-link-invalid", "This link does not work any more")
	}
}
