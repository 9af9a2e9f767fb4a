package page_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestPreferred(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]page.Language{
		"": page.English, "de-AT,de;q=0.9,en;q=0.5": page.German, "pt-BR": page.Portuguese, "fr": page.English,
		"fr,pt;q=0.5,de;q=0.4": page.Portuguese, "en;q=nonsense, \x7f": page.English, "*": page.English,
		"sr-Latn-ME": page.English, "de;q=0, en": page.English,
	} {
		if got := page.Preferred(accepted); got != want {
			t.Errorf("%q: got %s, want %s", accepted, got, want)
		}
	}
}

func TestTexts_In(t *testing.T) {
	t.Parallel()
	texts := page.Texts[string]{English: "one", German: "eins", Portuguese: "um"}
	for language, want := range map[page.Language]string{page.English: "one", page.German: "eins", page.Portuguese: "um",
		"fr": "one"} {
		if got := texts.In(language); got != want {
			t.Errorf("%s: got %s, want %s", language, got, want)
		}
	}
}

func renderField(t *testing.T, f page.Field) string {
	t.Helper()
	var b strings.Builder
	if err := page.Input(f).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestInput_Description checks that a field's element refers to its label, its hint and its problem.
func TestInput_Description(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		field page.Field
		want  []string
	}{
		{"plain", page.Field{Name: "email", Label: "E-mail", Type: "email", Autocomplete: "email", Required: true, Max: 9},
			[]string{`<label for="email">E-mail</label>`, `id="email" name="email" type="email" maxlength="9" ` +
				`autocomplete="email" required>`}},
		{"with a hint", page.Field{Name: "a", ID: "b", Hint: "Why"},
			[]string{`<label for="b">`, `id="b-hint">Why</p>`, `aria-describedby="b-hint"`}},
		{"wrong", page.Field{Name: "a", Hint: "Why", Problem: "No"}, []string{`aria-describedby="a-problem a-hint"`,
			`aria-invalid="true"`, `<p class="error" id="a-problem" role="alert">No</p>`}},
		{"wrong for a script", page.Field{Name: "a", Live: true, Missing: "Enter it", Wrong: "No"},
			[]string{`data-missing="Enter it" data-invalid="No"`, `<p class="error" id="a-problem"></p>`}},
		{"wrong by another", page.Field{Name: "a", DescribedBy: "problem", Invalid: true},
			[]string{`aria-describedby="problem" aria-invalid="true"`}},
		{"choice", page.Field{Name: "a", Value: "2", Options: []page.Option{{Value: "1", Label: "one"},
			{Value: "2", Label: "two"}}}, []string{`<option value="1">one</option>`, `<option value="2" selected>two</option>`}},
	} {
		got := renderField(t, c.field)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s in it", c.name, got, want)
			}
		}
	}
}

func TestInput_HostileText(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(21, func(text string) (string, error) {
		return renderField(t, page.Field{Name: text, ID: text, Label: text, Hint: text, Problem: text, Value: text,
			Type: text, Autocomplete: text, InputMode: text, Capitals: text, Placeholder: text, Live: true, Missing: text,
			Wrong: text, Class: text, DescribedBy: text, Note: true}), nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOutcome_Next checks that the page links to our next page in the parent frame. Without a next page it has no link.
func TestOutcome_Next(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]bool{"/pay/c-1": true, "": false} {
		p, err := page.Outcome(page.German, "co-1", payments.CheckoutPaid, next)
		if err != nil {
			t.Fatal(err)
		}
		got := string(p.HTML)
		if strings.Contains(got, `href="/pay/c-1" target="_parent">Weiter</a>`) != want ||
			!strings.Contains(got, "<h1>Zahlung abgeschlossen</h1>") {
			t.Errorf("%q: got %s, want a link %t, in German", next, got, want)
		}
	}
}
