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
