// Package page renders the pages that payers and developers see in a browser. All pages have the same layout and style
// sheet, and each page has its Content-Security-Policy. Create a Template with New and render it with Draw. Nothing
// comes from other hosts. A page runs only its own script, which the policy names by its hash.
//
// The Go file beside a page's .templ file is generated with "go tool templ generate -f" at the root of the repository,
// and committed. It escapes texts in plain calls, so no program links an interpreter of templates. An interpreter would
// look methods up by name, so the linker would have to keep the methods of all types.
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

// CopyScript is the script of Copy. A page appends it to its other scripts.
//
//go:embed copy.js
var CopyScript string

// icon is in each page. Otherwise browsers would ask for /favicon.ico, which does not exist.
const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
	"%3Crect width='16' height='16' rx='4' fill='%231f5f4a'/%3E" +
	"%3Cpath d='M11.2 5.2a4.2 4.2 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

// images is the directive that allows the icon.
const images = "img-src data:"

// Page is a rendered page. Its CSP has additions to the strict policy, which forbids everything.
type Page struct {
	HTML []byte
	CSP  []string
}

// Framed returns the page with permission to be shown in a frame of any site.
func (p Page) Framed() Page { return p.with("frame-ancestors *") }

// Posting returns the page with permission to send its forms to our own host and to the sources, also by redirects.
func (p Page) Posting(sources ...string) Page {
	return p.with(strings.Join(append([]string{"form-action 'self'"}, sources...), " "))
}

// Showing returns the page with permission to load pictures from our own host.
func (p Page) Showing() Page { return p.Allowing("img-src", "'self'") }

// Nonced returns the page with permission to run scripts and styles that have the nonce. The nonce must be random and
// serve one reply only (CSP level 3, §7.1).
func (p Page) Nonced(nonce string) Page {
	return p.Allowing("script-src", "'nonce-"+nonce+"'").Allowing("style-src", "'nonce-"+nonce+"'")
}

// Fetching returns the page with permission for its scripts to call our own host.
func (p Page) Fetching() Page { return p.with("connect-src 'self'") }

// Allowing returns the page with another source in the named directive, such as style-src.
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

// Template is the fixed part of a page.
type Template struct {
	language Language
	style    string
	script   string
	csp      []string
}

// New returns the template of an English page. script is the source of the page's script, or "".
func New(script string) *Template { return newTemplate(style, script) }

// Styled returns the template in English, with another style sheet after the shared style sheet.
func (t *Template) Styled(more string) *Template { return newTemplate(style+more, t.script) }

func newTemplate(style, script string) *Template {
	csp := []string{images, "style-src " + source(style)}
	if script != "" {
		csp = append(csp, "script-src "+source(script))
	}
	return &Template{language: English, style: style, script: script, csp: csp}
}

// In returns the template in a language (a BCP 47 tag such as pt-BR). Browsers use the language to read the page aloud
// and to hyphenate it.
func (t *Template) In(language Language) *Template {
	return &Template{language: language, style: t.style, script: t.script, csp: t.csp}
}

// source returns the CSP source of an inline element: the hash of its exact text (CSP level 3, §2.3.1).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Draw renders the page. It fails only if the rendering of the body fails.
func (t *Template) Draw(title string, body templ.Component) (Page, error) {
	return t.DrawBelow(title, templ.NopComponent, body)
}

// DrawBelow renders the page with a header above its main part.
func (t *Template) DrawBelow(title string, header, body templ.Component) (Page, error) {
	var b bytes.Buffer
	err := layout(string(t.language), title, t.style, t.script, header, body).Render(context.Background(), &b)
	return Page{HTML: b.Bytes(), CSP: t.csp}, err
}
