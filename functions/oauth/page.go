package oauth

import (
	"net/http"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// draw renders a page, with status 400 if a form was refused. posting is the CSP source of the redirect_uri, or "".
func (f family) draw(cookie *http.Cookie, t texts, title string, wrong problem, posting string,
	body templ.Component) (rest.Document, error) {
	d, err := f.drawOn(plainPage, cookie, t, title, wrong, body)
	if posting != "" {
		d.CSP = page.Page{CSP: d.CSP}.Posting(posting).CSP
	}
	return d, err
}

// plainPage is the template of pages without a script.
var plainPage = page.New("")

// drawOn renders a page on a template, with status 400 if a form was refused.
func (f family) drawOn(on *page.Template, cookie *http.Cookie, t texts, title string, wrong problem,
	body templ.Component) (rest.Document, error) {
	drawn, err := on.In(t.language).Draw(title, body)
	d := rest.Document{HTML: drawn.HTML, CSP: drawn.CSP, Cookie: cookie}
	if wrong != "" {
		d.Status = http.StatusBadRequest
	}
	return d, err
}

// problemID is the id of the element with the problem of a form.
const problemID = "problem"

// describedBy returns a value for aria-describedby: problemID if something is wrong, else "".
func describedBy(wrong problem) string {
	if wrong != "" {
		return problemID
	}
	return ""
}

type problem string

const (
	problemWrong    problem = "wrong"    // no account has this name with this password
	problemForm     problem = "form"     // a field is missing or too long
	problemAgain    problem = "again"    // the form was not sent from our page in this session
	problemExpired  problem = "expired"  // the session has ended
	problemMerchant problem = "merchant" // the merchant is not among those on the page
)

// texts has the texts of the pages in one language. {client}, {merchant} and {name} name the client, a merchant and the
// account that is signed in; {host} names the next page's host. On pages a client is called an application.
type texts struct {
	language page.Language

	signIn    string // title and button
	forClient string // names the client
	username  string // label
	nameHint  string // says what a user name is
	password  string // label
	code      string // label of the field for a merchant's code
	codeHint  string // says who enters the code
	forgotten string // link to the page for a forgotten password
	testMode  string // mark of pages of test mode

	signedIn  string // says who is signed in
	goOn      string // link to the authorization request
	account   string // link to the account's page
	factor    string // link to the page of the second factor
	signOut   string // button
	signOther string // button on the page that asks for consent

	consent   string // title
	asks      string // text before the list of scopes
	atOne     string // names the merchant, if the account has only one
	choose    string // label of the choice of a merchant
	elsewhere string // says that the client can act for a user's other merchants too
	rights    string // says that the account's rights limit the client
	leads     string // says where the browser goes next
	allow     string // button
	deny      string // button
	nowhere   string // says that the account has no merchant in the client's mode

	unknownClient   string // title
	unknownRedirect string // title
	unknownText     string // says what the person can do

	problems map[problem]string
	scopes   map[string]string // what each scope allows
}

var inLanguages = page.Texts[texts]{English: inEnglish, German: inGerman, Portuguese: inPortuguese}
