package oauth

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// draw is a page; its status is 400 if a form was refused. Its forms may lead to our own host,
// and through a redirect to posting: CSP sources for a client's redirect_uri; "": no client.
func (f family) draw(cookie *http.Cookie, t texts, title string, wrong problem, posting string,
	body templ.Component) (rest.Document, error) {
	drawn, err := page.New("").In(t.language).Draw(title, body)
	if posting != "" {
		drawn = drawn.Posting(posting)
	}
	d := rest.Document{HTML: drawn.HTML, CSP: drawn.CSP, Cookie: cookie}
	if wrong != "" {
		d.Status = http.StatusBadRequest
	}
	return d, err
}

// describedBy is an aria-describedby: the ids of the elements with what is wrong and with the
// field's hint.
func describedBy(wrong problem, hint string) string {
	if wrong != "" {
		return strings.TrimSpace("problem " + hint)
	}
	return hint
}
