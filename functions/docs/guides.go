package docs

import (
	"embed"
	"fmt"
	"strings"
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
