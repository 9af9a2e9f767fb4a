package checkouts

import (
	"context"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// startPage replaces itself in the browser's history, so that the back button does not begin the challenge again.
var startPage = page.New(`(function () {
  var link = document.getElementById("onwards");
  if (link) location.replace(link.href); else document.forms[0].submit();
})();`)

// startRequest is the form that the shop's page posts (contract §4.4). Only the payer's session is read: a browser
// cannot choose where the payer goes.
type startRequest struct {
	MD string `form:"MD" validate:"required"`
}

// start handles start3dsChallenge. It returns a page that leads the payer on to the acquirer's page of the challenge.
// The page is never a redirect, because the policy of the shop's page (form-action) would have to allow the acquirer's
// host. Once the challenge is over, start leads the payer back as completePayment does.
func (f family) start(ctx context.Context, req startRequest) (rest.Document, error) {
	c, step, err := f.processing.OpenChallenge(ctx, req.MD)
	if err != nil {
		return rest.Document{}, err
	}
	if step == nil {
		return f.leadBack(ctx, c)
	}
	language := rest.Language(ctx)
	t := startTextsIn.In(language)
	p, err := startPage.In(language).Draw(t.title, startBody(t, *step))
	p = p.Framed().Posting(f.hosts.Sources()...)
	return rest.Document{HTML: p.HTML, CSP: p.CSP}, err
}

func sortedNames(fields map[string]string) []string { return slices.Sorted(maps.Keys(fields)) }

// startTexts are the texts of the page that leads to a challenge, in one language.
type startTexts struct{ title, hint, onwards string }

var startTextsIn = page.Texts[startTexts]{
	English: startTexts{"Confirm your payment", "If nothing happens in a moment, press Continue.", "Continue"},
	German: startTexts{"Zahlung bestätigen",
		"Wenn nicht gleich etwas geschieht, klicken Sie auf „Weiter“.", "Weiter"},
	Portuguese: startTexts{"Confirme o seu pagamento",
		"Se nada acontecer em um instante, clique em Continuar.", "Continuar"},
}
