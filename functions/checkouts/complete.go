package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// completeRequest is what the issuer's page posts to TermUrl (contract §4.4).
type completeRequest struct {
	ID    rest.ID `path:"id"`
	PaRes string  `form:"PaRes" validate:"required"`
	MD    string  `form:"MD" validate:"required"`
}

// complete is completePayment, the 3DS return: the payer's browser brings the issuer's
// answer. It goes on to the merchant's page, or gets one that reports to the page around it. If the
// attempt began on the payment page, that is the page to which it reports; it goes on there to try
// again, and to the merchant when it has paid.
func (f family) complete(ctx context.Context, req completeRequest) (rest.Document, error) {
	c, err := f.processing.Complete(ctx, string(req.ID), req.MD, req.PaRes)
	if err != nil {
		return rest.Document{}, err
	}
	next, status := c.RedirectURL, c.StatusAt(f.store.Now())
	if next != "" {
		if next, err = page.ReturnURL(next, c.ID); err != nil {
			return rest.Document{}, err
		}
	}
	switch onPage := c.Attempt != nil && c.Attempt.Browser != ""; {
	case !onPage && next != "":
		return rest.Document{Redirect: next}, nil
	case onPage && (next == "" || status != payments.CheckoutPaid):
		next = f.views.PageURL(c.ID)
	}
	outcome, err := page.Outcome(rest.Language(ctx), c.ID, status, next)
	return rest.Document{HTML: outcome.HTML, CSP: outcome.CSP}, err
}
