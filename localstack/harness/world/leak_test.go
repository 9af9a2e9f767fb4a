package world

import (
	"strings"
	"testing"
)

func TestLeakContext(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s", longSecret)
	for _, c := range []struct{ secret, text, want string }{
		{"7391", `{"cvv":"7391"}`, `{"cvv":"[it]"}`},
		{"7391", `{"id":"a7391-7391b"}`, ""},
		{"7391", `{}`, ""},
		{"7391", `{"name":"Reader 7391"}`, ""},
		{long, "q=" + long + "&x", "q=[it]&x"},
		{long, "a" + long + "b", "a[it]b"},
	} {
		if got := leakContext(c.secret, c.text); got != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.secret, c.text, got, c.want)
		}
	}
}
