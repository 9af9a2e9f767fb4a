package rest

import (
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page"
)

var errorTemplate = page.New("")

// errorPage shows a person in a browser what went wrong. It may be framed: a
// challenge without redirect_url runs in the shop's page, and an error has
// nothing to click on.
func errorPage(shown Problem, e *failure.Error, requestID string) page.Page {
	// Writing three strings to memory cannot fail.
	drawn, _ := errorTemplate.Draw(shown.Title, errorBody(shown.Title, e.Message, requestID))
	return drawn.Framed()
}
