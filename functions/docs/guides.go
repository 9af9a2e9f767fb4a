package docs

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

//go:embed guides/*.md
var sources embed.FS

// guideOrder lists the guides in order, by the names of their files.
var guideOrder = []string{"first-payment", "callbacks", "refunds", "payouts", "saved-cards", "test-cards",
	"local-platform", "going-live"}

// guide is a guide with the installation's address filled in.
type guide struct {
	name    string // last part of its path
	source  string // its text in Markdown
	article article
}

// readGuides reads all guides in order and fills in the installation's address.
func (s site) readGuides() ([]guide, error) {
	guides := make([]guide, len(guideOrder))
	for i, name := range guideOrder {
		text, err := sources.ReadFile("guides/" + name + ".md")
		if err != nil {
			return nil, err
		}
		source := strings.ReplaceAll(string(text), "{{base_url}}", s.baseURL)
		read, err := s.parseArticle(source)
		if err != nil {
			return nil, fmt.Errorf("docs: %s: %w", name, err)
		}
		guides[i] = guide{name, source, read}
	}
	return guides, nil
}

//go:embed docs.css
var style string

//go:embed guide.js
var copyScript string

var guidePage = page.New(copyScript).Styled(style)

// showGuide shows a guide, its source under the same name with .md, or the script that draws the reference.
func (f family) showGuide(_ context.Context, req struct {
	Page string `path:"page"`
}) (rest.Document, error) {
	if req.Page == redoc {
		return rest.Document{ContentType: "text/javascript;charset=UTF-8", Gzip: redocSource, Immutable: true}, nil
	}
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	name, asSource := strings.CutSuffix(req.Page, ".md")
	at := slices.IndexFunc(guides, func(g guide) bool { return g.name == name })
	switch {
	case at < 0:
		return rest.Document{}, rest.NothingHere()
	case asSource:
		return rest.Document{ContentType: "text/markdown;charset=UTF-8", Body: []byte(guides[at].source)}, nil
	}
	drawn, err := guidePage.DrawBelow(guides[at].article.title, headerBody(f.site, guides, name),
		guideBody(f.site, guides, at))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}
