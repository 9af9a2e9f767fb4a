package sandbox

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var english = inLanguages.English

// TestPages_EscapeTexts checks that each page escapes every text, even texts that requests and merchants cannot set
// today.
func TestPages_EscapeTexts(t *testing.T) {
	t.Parallel()
	view := func(text string) sandbox.View {
		return sandbox.View{Amount: money.MustParse("10.10", "EUR"), Merchant: text, Method: payments.IDEAL,
			Card: &payments.CardSummary{Brand: text, LastFour: text}, Decision: payments.Challenge}
	}
	decided := func(text string) sandbox.View {
		v := view(text)
		v.Decision = payments.Approved
		return v
	}
	for name, c := range map[string]struct {
		places int
		body   func(text string) templ.Component
	}{
		"bank": {3, func(text string) templ.Component { return bankBody(english, view(text), "") }},
		"decided at the bank": {4, func(text string) templ.Component {
			return bankBody(english, decided(text), "/"+text)
		}},
		"decided challenge": {6, func(text string) templ.Component {
			return decidedBody(english, decided(text), text, text, text)
		}},
		"challenge": {6, func(text string) templ.Component {
			return challengeBody(english, view(text), challengeRequest{text, text, text})
		}},
		"continue": {3, func(text string) templ.Component { return continueBody(english, text, text, text) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := pagetest.Check(c.places, func(text string) (string, error) { return render(t, c.body(text)), nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestContinueBody_ScriptAsTermURL checks that a script never becomes the address of the form. This is a second line of
// defence, because readChallenge already refuses such a TermUrl.
func TestContinueBody_ScriptAsTermURL(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		if body := render(t, continueBody(english, address, "", "")); !strings.Contains(body, `action="about:invalid#`) {
			t.Errorf("%q: got %s, want the action about:invalid", address, body)
		}
	}
}

// TestChallengeBody_TermURLUnchanged checks that the page contains TermUrl as sent. There it is only a field's value,
// which no browser follows.
func TestChallengeBody_TermURLUnchanged(t *testing.T) {
	t.Parallel()
	body := render(t, challengeBody(english, sandbox.View{Amount: money.MustParse("10.10", "EUR")},
		challengeRequest{TermURL: "javascript:x"}))
	if !strings.Contains(body, `name="TermUrl" value="javascript:x"`) || strings.Contains(body, "Card") {
		t.Errorf("got %s, want TermUrl javascript:x as it is, and no Card", body)
	}
}

func render(t *testing.T, body templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := body.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
