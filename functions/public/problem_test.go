package public

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/page/pagetest"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestProblemBody_EscapesTexts checks that the page escapes its texts, although all of them are our own.
func TestProblemBody_EscapesTexts(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(3, func(text string) (string, error) {
		var drawn strings.Builder
		err := problemBody(rest.Problem{Title: text, Description: text, Slug: text}).Render(t.Context(), &drawn)
		return drawn.String(), err
	})
	if err != nil {
		t.Errorf("got error %v, want none", err)
	}
}
