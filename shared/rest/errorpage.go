package rest

import (
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page"
)

var errorTemplate = page.New("")

// errorPage explains an error to a person, in the browser's language. Other sites may frame the page, because a
// challenge without redirect_url runs inside the shop's page. Framing is safe, because the page has nothing to click
// on.
func errorPage(shown Problem, e *failure.Error, requestID string, request http.Header) page.Page {
	language := page.Preferred(strings.Join(request.Values("Accept-Language"), ","))
	title, message, detail, texts := shown.Title, e.Text(), "", translatedErrors.In(language)
	if language != page.English {
		kind := texts.of(shown.Status)
		title, message, detail = kind.title, kind.text, e.Text()
	}
	// Writing strings to memory cannot fail.
	drawn, _ := errorTemplate.In(language).Draw(title, errorBody(title, message, detail, texts.request, requestID))
	return drawn.Framed()
}

// errorText is the title and text of an error page.
type errorText struct{ title, text string }

// errorTranslation holds the texts of error pages in one language. English pages show the failure's own text instead.
type errorTranslation struct {
	notFound, tooMany, refused, ours errorText

	request string // label for the request's id
}

func (t errorTranslation) of(status int) errorText {
	switch {
	case status == http.StatusNotFound:
		return t.notFound
	case status == http.StatusTooManyRequests:
		return t.tooMany
	case status < http.StatusInternalServerError:
		return t.refused
	default:
		return t.ours
	}
}

var translatedErrors = page.Texts[errorTranslation]{
	English: errorTranslation{request: "Request"},
	German: errorTranslation{
		notFound: errorText{"Seite nicht gefunden", "Der Link ist falsch oder die Seite gibt es nicht mehr."},
		tooMany:  errorText{"Zu viele Versuche", "Bitte warten Sie einen Moment und versuchen Sie es dann noch einmal."},
		refused:  errorText{"Das ist nicht möglich", "Ihre Anfrage wurde abgelehnt."},
		ours: errorText{"Etwas ist schiefgegangen",
			"Der Fehler liegt bei uns. Bitte versuchen Sie es später noch einmal."},
		request: "Anfrage",
	},
	Portuguese: errorTranslation{
		notFound: errorText{"Página não encontrada", "O link está errado ou a página não existe mais."},
		tooMany:  errorText{"Muitas tentativas", "Espere um instante e tente de novo."},
		refused:  errorText{"Isso não é possível", "A sua solicitação foi recusada."},
		ours:     errorText{"Algo deu errado", "O erro é nosso. Tente de novo mais tarde."},
		request:  "Solicitação",
	},
}
