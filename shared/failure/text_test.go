package failure_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Two coffees", "Zwei Kaffees für 3 €", strings.Repeat("é", 20), "a\u200db \u2028\ufffd"} {
		if faults := failure.Text("name", text, 20); len(faults) > 0 {
			t.Errorf("%q: %v", text, faults)
		}
	}
	for _, text := range []string{strings.Repeat("é", 21), "\x00", "a\nb", "a\tb", "\x1b[2J", "\x1f", "\x7f", "\u0080", "a\u0085", "\u009f"} {
		if faults := failure.Text("name", text, 20); len(faults) != 1 || faults[0].Kind != failure.Rejected || faults[0].Code != "INVALID" || faults[0].Param != "name" {
			t.Errorf("%q: %v", text, faults)
		}
	}
}
