// Package page draws what payers and developers see in a browser: one layout,
// one style sheet, and for each page the Content-Security-Policy directives
// under which it works. Nothing comes from another host, and a page runs no
// script but the one it was made with, which the policy names by its hash.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed layout.html
var layout string

//go:embed style.css
var style string

// Page is a drawn page. CSP joins the strict policy that forbids everything.
type Page struct {
	HTML []byte
	CSP  []string
}

// Framed is the page with leave to be shown in any site's frame.
func (p Page) Framed() Page { return p.with("frame-ancestors *") }

// Posting is the page with leave for its forms to lead to the given sources
// besides our own host. Browsers hold the redirects after a form to it too.
func (p Page) Posting(sources ...string) Page {
	return p.with(strings.Join(append([]string{"form-action 'self'"}, sources...), " "))
}

func (p Page) with(directive string) Page {
	p.CSP = append(append([]string{}, p.CSP...), directive)
	return p
}

// Template is a page's fixed part.
type Template struct {
	html   *template.Template
	script string
	csp    []string
}

// New prepares a page from its body and an optional script. Both are source,
// so it panics when the body does not parse.
func New(body, script string) *Template {
	t := template.Must(template.New("layout").Parse(layout))
	template.Must(t.New("body").Parse(body))
	csp := []string{"style-src " + source(style)}
	if script != "" {
		csp = append(csp, "script-src "+source(script))
	}
	return &Template{html: t, script: script, csp: csp}
}

// source names an inline element's exact text (CSP level 3, §2.3.1).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Draw fills the page. It fails only for data the body does not fit.
func (t *Template) Draw(title string, data any) (Page, error) {
	var b bytes.Buffer
	err := t.html.Execute(&b, struct {
		Title  string
		Style  template.CSS
		Script template.JS
		Data   any
	}{title, template.CSS(style), template.JS(t.script), data})
	return Page{HTML: b.Bytes(), CSP: t.csp}, err
}
