package oauth

import (
	"strings"

	"golang.org/x/text/language"
)

// problem is what was wrong with a form.
type problem string

// The problems.
const (
	problemWrong    problem = "wrong"    // no account has this name with this password
	problemForm     problem = "form"     // a field is missing or too long
	problemAgain    problem = "again"    // not sent from our page, or the page was too old
	problemExpired  problem = "expired"  // nobody is signed in any more
	problemMerchant problem = "merchant" // not one of the merchants on the page
)

// texts are those of the pages in one language. {client}, {merchant} and {name} are the names
// of the application, of a merchant, and of who is signed in; {host} is where the browser goes.
type texts struct {
	language string // BCP 47

	signIn    string // title and button
	forClient string // to which application one signs in
	username  string // label
	nameHint  string // what is meant by it
	password  string // label
	code      string // label of a merchant's code
	codeHint  string // who has to enter one
	testMode  string // mark of pages of test mode

	signedIn  string // who is signed in
	goOn      string // link to what the sign-in was for
	factor    string // link to the page of the second factor
	signOut   string // button
	signOther string // button on the page that asks for consent

	consent   string // title
	asks      string // what the application asks for
	atOne     string // which merchant
	choose    string // label of the choice of a merchant
	elsewhere string // of a user of several merchants: where the application can act too
	rights    string // what bounds all that
	leads     string // where the browser goes then
	allow     string // button
	deny      string // button
	nowhere   string // that the account has no merchant for which the application could act

	unknownClient   string // title
	unknownRedirect string // title
	unknownText     string // what to do

	problems map[problem]string
	scopes   map[string]string // what each scope allows
}

var (
	inAllLanguages = []texts{inEnglish, inGerman, inPortuguese} // the first one for those who ask for none of them

	languages = language.NewMatcher([]language.Tag{language.English, language.German, language.Portuguese})
)

// textsFor are the texts in the language that the header Accept-Language likes best (RFC 9110
// §12.5.4, RFC 4647).
func textsFor(acceptLanguage string) texts {
	asked, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return inEnglish
	}
	_, at, _ := languages.Match(asked...)
	return inAllLanguages[at]
}

// fill puts pairs of placeholders and texts into a text.
func fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
