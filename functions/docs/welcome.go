package docs

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var welcomePage = page.New("").Styled(style)

// showWelcome shows a browser where to begin. To a client of the API there is nothing here.
func (f family) showWelcome(ctx context.Context, _ struct{}) (rest.Document, error) {
	if !rest.AcceptsPage(ctx) {
		return rest.Document{}, rest.NothingHere()
	}
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	drawn, err := welcomePage.DrawBelow("Cashwrap API", headerBody(f.site, guides, ""), welcomeBody(f.site, guides))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}
