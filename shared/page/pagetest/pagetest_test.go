package pagetest_test

import (
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

// TestCheck_Faults checks a correct page, and pages that show a text wrongly: unescaped, escaped twice, or not at all.
func TestCheck_Faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page string
		put  func(string) string
		good bool
	}{
		"escaped":  {`<p title="$">$</p>`, html.EscapeString, true},
		"as it is": {`<p title="a">$$</p>`, func(text string) string { return text }, false},
		"quotes left": {`<p title="$">$</p>`, strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace,
			false},
		"without quotes": {`<p title=$>$</p>`, html.EscapeString, false},
		"escaped twice": {`<p title="$">$</p>`, func(text string) string {
			return html.EscapeString(html.EscapeString(text))
		}, false},
		"lost in one place": {`<p title="$">x</p>`, html.EscapeString, false},
		"ampersands left": {`<p title="$">$</p>`, strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace,
			false},
		"replaced, not shown": {`<p title="$">$</p>`, func(string) string { return "?" }, false},
	} {
		err := pagetest.Check(2, func(text string) (string, error) {
			return strings.ReplaceAll(c.page, "$", c.put(text)), nil
		})
		if (err == nil) != c.good {
			t.Errorf("%s: got error %v, want good %t", name, err, c.good)
		}
	}
}

// TestEmpty checks fields, structs and maps.
func TestEmpty(t *testing.T) {
	t.Parallel()
	type said struct{ title, hint string }
	type texts struct {
		title string
		said  said
		all   map[string]said
	}
	if got := pagetest.Empty(texts{"x", said{"x", ""}, map[string]said{"a": {"x", ""}}}); got != nil {
		t.Errorf("got %v, want none", got)
	}
	if diff := cmp.Diff([]string{".title", ".said.title", ".all.a.title"},
		pagetest.Empty(texts{"", said{"", ""}, map[string]said{"a": {}}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".all"}, pagetest.Empty(texts{"x", said{"x", ""}, nil})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
