package page

import (
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// Language is a language of pages, as a BCP 47 tag.
type Language string

// The languages.
const (
	English    Language = "en"
	German     Language = "de"
	Portuguese Language = "pt"
)

// Languages lists all languages, the default first.
var Languages = []Language{English, German, Portuguese}

// Texts are the texts of a page in each language.
type Texts[T any] struct{ English, German, Portuguese T }

// In returns the texts in the language, or the English texts for a language without pages.
func (t Texts[T]) In(l Language) T {
	switch l {
	case German:
		return t.German
	case Portuguese:
		return t.Portuguese
	default:
		return t.English
	}
}

// TestMode is the text that marks the pages where payers pay in test mode.
var TestMode = Texts[string]{
	English:    "Test mode: no money moves",
	German:     "Testmodus: Es fließt kein Geld",
	Portuguese: "Modo de teste: nenhum dinheiro é movimentado",
}

var matcher = sync.OnceValue(func() language.Matcher {
	tags := make([]language.Tag, len(Languages))
	for i, l := range Languages {
		tags[i] = language.Make(string(l))
	}
	return language.NewMatcher(tags)
})

// Preferred returns the language of a page for a browser's Accept-Language (RFC 9110 §12.5.4, RFC 4647), or for a
// merchant's single tag. It returns English if the text cannot be read or names no language of the pages.
func Preferred(acceptLanguage string) Language {
	asked, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return English
	}
	_, at, _ := matcher().Match(asked...)
	return Languages[at]
}

// Fill replaces placeholders such as {merchant} in a text. pairs has each placeholder followed by its value.
func Fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
