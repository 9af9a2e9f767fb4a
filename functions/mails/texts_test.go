package mails

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/mail"
)

var languages = []string{english, german, portuguese}

// TestTexts_EachLanguage checks that each mail has the same placeholders in each language, and that all are filled in.
func TestTexts_EachLanguage(t *testing.T) {
	t.Parallel()
	if kinds := slices.Sorted(maps.Keys(texts)); !slices.Equal(kinds, slices.Sorted(slices.Values(mail.Kinds))) {
		t.Errorf("got texts of %v, want of %v", kinds, mail.Kinds)
	}
	seen := map[string]bool{}
	for kind, all := range texts {
		for _, language := range languages {
			link := ""
			if all[english].link != "" {
				link = "https://api.example.com/invitations/abc"
			}
			l := letter{kind: kind, language: language, merchant: "Kaffeehaus", about: "4321", link: link}
			m, err := l.render(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wantsAbout := strings.Contains(all[english].subject+strings.Join(all[english].lines, ""), "{about}")
			for _, part := range []string{m.Text, m.HTML} {
				if !strings.Contains(part, "Kaffeehaus") || strings.Contains(part, "4321") != wantsAbout ||
					strings.ContainsAny(part, "{}") || link != "" && !strings.Contains(part, link) {
					t.Errorf("%s, %s: got %s, want its values filled in", kind, language, part)
				}
			}
			if m.Subject == "" || seen[m.Text] || !strings.Contains(m.HTML, `lang="`+language+`"`) {
				t.Errorf("%s, %s: got subject %q and %s, want a text of its own", kind, language, m.Subject, m.HTML)
			}
			seen[m.Text] = true
			if link != "" && all[language].link == "" {
				t.Errorf("%s, %s: got no words for the link, want some", kind, language)
			}
		}
		if len(all) != len(languages) {
			t.Errorf("%s: got it in %d languages, want in %v", kind, len(all), languages)
		}
	}
	for _, words := range []map[string]string{footer, trial, nothingMoved} {
		if len(words) != len(languages) {
			t.Errorf("got %v, want it in %v", words, languages)
		}
	}
}

func TestSupportedLanguage_EachCountry(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"DE": german, "AT": german, "BR": portuguese, "PT": portuguese,
		"GB": english, "FR": english, "": english} {
		if got := supportedLanguage(account.Profile{}.LanguageIn(code)); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}

// TestLetter_HostileNames checks that the names of merchants and keys cannot break out of their line, the subject or
// the HTML.
func TestLetter_HostileNames(t *testing.T) {
	t.Parallel()
	harmful := rapid.SampledFrom([]rune("\r\n\t\x00\u2028\u202e<>&\"'{}:="))
	evil := rapid.StringOfN(rapid.OneOf(rapid.Rune(), harmful), 0, 300, -1)
	rapid.Check(t, func(r *rapid.T) {
		l := letter{kind: rapid.SampledFrom(mail.Kinds).Draw(r, "kind"),
			language: rapid.SampledFrom(languages).Draw(r, "language"),
			merchant: evil.Draw(r, "merchant") + "<script>", about: evil.Draw(r, "about")}
		m, err := l.render(t.Context())
		if err != nil {
			r.Fatal(err)
		}
		if strings.ContainsFunc(m.Subject, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) ||
			len([]rune(m.Subject)) > 200 {
			r.Errorf("got subject %q, want one line of at most 200 characters", m.Subject)
		}
		plain, err := letter{kind: l.kind, language: l.language, merchant: "x", about: "y"}.render(t.Context())
		if err != nil {
			r.Fatal(err)
		}
		if got, want := strings.Count(m.HTML, "<"), strings.Count(plain.HTML, "<"); got != want {
			r.Errorf("got %d tags in %s, want %d", got, m.HTML, want)
		}
		if got, want := strings.Count(m.Text, "\n"), strings.Count(plain.Text, "\n"); got != want {
			r.Errorf("got %d lines in %q, want %d", got, m.Text, want)
		}
	})
}

// TestLetter_TestMode checks that mails about money say that no money has moved.
func TestLetter_TestMode(t *testing.T) {
	t.Parallel()
	for _, kind := range mail.Kinds {
		for _, language := range languages {
			for _, test := range []bool{true, false} {
				m, err := letter{kind: kind, language: language, merchant: "Kaffeehaus", about: "10.10 EUR", test: test}.
					render(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := test && kind.OfReceipt()
				for _, part := range []string{m.Text, m.HTML} {
					if got := strings.Contains(part, nothingMoved[language]); got != want {
						t.Errorf("%s, %s, a test: %t: got %s, want it to say that nothing moved: %t", kind, language, test, part, want)
					}
				}
			}
		}
	}
}
