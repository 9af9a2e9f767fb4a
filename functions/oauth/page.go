package oauth

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// draw is a page. A form that was refused makes it 400. Forms lead to our own host, and by a
// redirect to posting, the sources of a client's redirect_uri, if there is one.
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

// describedBy are the elements of a form that say what a field is for, and what is wrong.
func describedBy(wrong problem, hint string) string {
	if wrong != "" {
		return strings.TrimSpace("problem " + hint)
	}
	return hint
}
