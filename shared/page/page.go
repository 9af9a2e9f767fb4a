// Package page draws what payers and developers see in a browser: one layout, one style sheet, and each page's
// Content-Security-Policy. Nothing comes from other hosts. A page runs only its script, which the policy names by hash.
//
// From a page's .templ file the Go file beside it is generated, with "go tool templ generate -f" at the root of the
// repository, and committed. It escapes texts in plain calls, so no program links an interpreter of templates, which
// would look methods up by name and so make the linker keep the methods of all types.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"

	"github.com/a-h/templ"
)

//go:embed style.css
var style string

// icon is in each page, so that browsers do not ask for /favicon.ico, which there is not.
const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
	"%3Crect width='16' height='16' rx='4' fill='%231f5f4a'/%3E" +
	"%3Cpath d='M11.2 5.2a4.2 4.2 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

// images allows the icon.
const images = "img-src data:"

// Page is a drawn page. CSP is added to the strict policy that forbids everything.
type Page struct {
	HTML []byte
	CSP  []string
}

// Framed is the page, allowed in any site's frame.
func (p Page) Framed() Page { return p.with("frame-ancestors *") }

// Posting lets the page's forms, and the redirects after them, lead to the given sources besides our own host.
func (p Page) Posting(sources ...string) Page {
	return p.with(strings.Join(append([]string{"form-action 'self'"}, sources...), " "))
}

// Showing is the page, with pictures of our own host.
func (p Page) Showing() Page { return p.Allowing("img-src", "'self'") }

// Nonced lets scripts and styles with the nonce count, which is random for one reply (CSP level 3, §7.1).
func (p Page) Nonced(nonce string) Page {
	return p.Allowing("script-src", "'nonce-"+nonce+"'").Allowing("style-src", "'nonce-"+nonce+"'")
}

// Fetching is the page, whose scripts may ask our own host.
func (p Page) Fetching() Page { return p.with("connect-src 'self'") }

// Allowing is the page with another source in one of its directives, such as style-src.
func (p Page) Allowing(name, source string) Page {
	p.CSP = append([]string{}, p.CSP...)
	for i, directive := range p.CSP {
		if strings.HasPrefix(directive, name+" ") {
			p.CSP[i] += " " + source
		}
	}
	return p
}

func (p Page) with(directive string) Page {
	p.CSP = append(append([]string{}, p.CSP...), directive)
	return p
}

// Template is a page's fixed part.
type Template struct {
	language Language
	style    string
	script   string
	csp      []string
}

// New prepares an English page from its optional script, which is source.
func New(script string) *Template { return newTemplate(style, script) }

// Styled is the English page with a style sheet of its own after the one that all share.
func (t *Template) Styled(more string) *Template { return newTemplate(style+more, t.script) }

func newTemplate(style, script string) *Template {
	csp := []string{images, "style-src " + source(style)}
	if script != "" {
		csp = append(csp, "script-src "+source(script))
	}
	return &Template{language: English, style: style, script: script, csp: csp}
}

// In returns the template for a language (a BCP 47 tag such as pt-BR), by which it is read aloud and hyphenated.
func (t *Template) In(language Language) *Template {
	return &Template{language: language, style: t.style, script: t.script, csp: t.csp}
}

// source names an inline element's exact text (CSP level 3, §2.3.1).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Draw fills the page. It fails only when the body does.
func (t *Template) Draw(title string, body templ.Component) (Page, error) {
	return t.DrawBelow(title, templ.NopComponent, body)
}

// DrawBelow fills the page, with a header above what the page is about.
func (t *Template) DrawBelow(title string, header, body templ.Component) (Page, error) {
	var b bytes.Buffer
	err := layout(string(t.language), title, t.style, t.script, header, body).Render(context.Background(), &b)
	return Page{HTML: b.Bytes(), CSP: t.csp}, err
}
