package rest

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

// TestATextStaysAText: a message may quote a request.
func TestATextStaysAText(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(4, func(text string) (string, error) {
		return string(errorPage(Problem{Title: text}, &failure.Error{Message: text}, text).HTML), nil
	})
	if err != nil {
		t.Errorf("got error %v, want none", err)
	}
}
