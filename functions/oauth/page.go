package oauth

import (
	"net/http"

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

// problemID is the id of the element that says what is wrong with a form.
const problemID = "problem"

// describedBy is problemID if something is wrong, for aria-describedby.
func describedBy(wrong problem) string {
	if wrong != "" {
		return problemID
	}
	return ""
}
