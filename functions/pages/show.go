package pages

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var errNoPage = failure.NotFound("There is no such payment page.")

type showRequest struct {
	ID string `path:"checkout_id"`
}

// show is showPaymentPage.
func (f family) show(context.Context, showRequest) (rest.Document, error) {
	return rest.Document{}, errNoPage
}

type attemptRequest struct {
	ID string `path:"checkout_id"`
}

// createAttempt is createPaymentPageAttempt.
func (f family) createAttempt(context.Context, attemptRequest) (any, error) { return nil, errNoPage }

// draw is the page.
func draw(v view) (rest.Document, error) {
	p, err := drawn(v)
	return rest.Document{HTML: p.HTML, CSP: p.CSP}, err
}
