package checkouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// completeRequest is what the issuer's page posts to TermUrl (contract §4.4).
type completeRequest struct {
	ID    string `path:"id"`
	PaRes string `form:"PaRes" validate:"required"`
	MD    string `form:"MD" validate:"required"`
}

// complete is completePayment, the 3DS return: the payer's browser brings the issuer's
// answer. It goes on to the merchant's page, or gets one that reports to the page around it. If the
// attempt began on the payment page, that is the page to which it reports, or goes on.
func (f family) complete(ctx context.Context, req completeRequest) (rest.Document, error) {
	c, err := f.processing.Complete(ctx, req.ID, req.MD, req.PaRes)
	if err != nil {
		return rest.Document{}, err
	}
	var next string
	if c.Attempt != nil && c.Attempt.Browser != "" {
		next = f.views.PageURL(c.ID)
	} else if c.RedirectURL != "" {
		return redirect(page.ReturnURL(c.RedirectURL, c.ID))
	}
	outcome, err := page.Outcome(rest.Language(ctx), c.ID, c.StatusAt(f.store.Now()), next)
	return rest.Document{HTML: outcome.HTML, CSP: outcome.CSP}, err
}

func redirect(target string, err error) (rest.Document, error) {
	return rest.Document{Redirect: target}, err
}
