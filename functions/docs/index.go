package docs

import (
	"context"
	"fmt"
	"strings"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// about says in a sentence what the API is.
const about = "Take payments by card, bank redirect, boleto and Pix; refund them, and have them paid out."

// showIndex lists what there is to read, for language models (https://llmstxt.org).
func (f family) showIndex(context.Context, struct{}) (rest.Document, error) {
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Cashwrap API\n\n> %s This installation answers at %s.\n\n## Guides\n\n", about, f.baseURL)
	for _, g := range guides {
		fmt.Fprintf(&b, "- [%s](%s/docs/%s.md): %s\n", g.article.title, f.baseURL, g.name, g.article.summary)
	}
	fmt.Fprintf(&b, "\n## Reference\n\n- [openapi.yaml](%s/openapi.yaml): each operation with its fields, errors, "+
		"examples and a command line of curl (OpenAPI 3.0)\n", f.baseURL)
	return rest.Document{ContentType: "text/plain;charset=UTF-8", Body: []byte(b.String())}, nil
}

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
