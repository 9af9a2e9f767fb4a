package rest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

// TestErrorPage_EscapesText checks that a message is escaped, because it may quote a request.
func TestErrorPage_EscapesText(t *testing.T) {
	t.Parallel()
	for language, places := range map[string]int{"en": 4, "de": 2} {
		request := http.Header{"Accept-Language": {language}}
		err := pagetest.Check(places, func(text string) (string, error) {
			return string(errorPage(Problem{Title: text}, &failure.Error{Message: text}, text, request).HTML), nil
		})
		if err != nil {
			t.Errorf("%s: got error %v, want none", language, err)
		}
	}
}

// TestErrorPage_Language checks that the page is in the browser's language, with the details in English.
func TestErrorPage_Language(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language string
		status   int
		want     string
	}{
		{"de", 404, "<h1>Seite nicht gefunden</h1>"}, {"de", 429, "<h1>Zu viele Versuche</h1>"},
		{"pt-BR", 400, "<h1>Isso não é possível</h1>"}, {"pt", 500, "<h1>Algo deu errado</h1>"},
		{"fr", 404, "<h1>Its title</h1><p>Its message.</p>"}, {"de", 409, `<p class="faint" lang="en">Its message.</p>`},
	} {
		drawn := errorPage(Problem{Status: c.status, Title: "Its title"}, &failure.Error{Message: "Its message."}, "id",
			http.Header{"Accept-Language": {c.language}})
		if !strings.Contains(string(drawn.HTML), c.want) {
			t.Errorf("%s, %d: got %s, want %s in it", c.language, c.status, drawn.HTML, c.want)
		}
	}
}
