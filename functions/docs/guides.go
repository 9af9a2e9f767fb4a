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

// order is that in which guides are listed, by the names of their files.
var order = []string{"first-payment", "callbacks", "refunds", "payouts", "saved-cards", "test-cards", "local-platform",
	"going-live"}

// guide is one of them, filled in.
type guide struct {
	name    string // in its address
	source  string // in Markdown
	article article
}

// readGuides reads all guides, in their order, with the installation's address in them.
func (s site) readGuides() ([]guide, error) {
	guides := make([]guide, len(order))
	for i, name := range order {
		text, err := sources.ReadFile("guides/" + name + ".md")
		if err != nil {
			return nil, err
		}
		source := strings.ReplaceAll(string(text), "{{base_url}}", s.baseURL)
		read, err := s.read(source)
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
var copying string

var guidePage = page.New(copying).Styled(style)

// showGuide shows a guide; its source under the same name with .md; and what the reference is drawn with.
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
