package public_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
)

// TestShowProblem_WithABrowser opens the page of a problem type, and the error page of an unknown one.
func TestShowProblem_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newFixture(t)}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360, NoScript: true}} {
		s := chromium.Open(t, web, o)
		s.Expect("404 GET")
		tab := s.Visit(baseURL + "/problems/not-found")
		tab.Look("problem", tab.CSS("h1").Text())
		tab.Goto(baseURL + "/problems/none")
		tab.Look("error", tab.CSS("h1").Text())
	}
}
