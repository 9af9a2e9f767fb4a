package checkouts

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// completeRequest is the form that the issuer's page posts to TermUrl (contract §4.4).
type completeRequest struct {
	ID    rest.ID `path:"id"`
	PaRes string  `form:"PaRes" validate:"required"`
	MD    string  `form:"MD" validate:"required"`
}

// complete handles completePayment, the payer's return from 3DS with the issuer's answer.
func (f family) complete(ctx context.Context, req completeRequest) (rest.Document, error) {
	c, err := f.processing.Complete(ctx, string(req.ID), req.MD, req.PaRes)
	if err != nil {
		return rest.Document{}, err
	}
	return f.leadBack(ctx, c)
}

// completeByLinkRequest is the link by which a live acquirer sends the payer back (contract §4.4). The acquirer may add
// parameters to the link. They are not read, because the payer could change them.
type completeByLinkRequest struct {
	ID rest.ID `path:"id"`
	MD string  `query:"MD" validate:"required"`
}

// completeByLink handles completePaymentByLink, the payer's return from a live acquirer's page. A request that no
// person has made does nothing.
func (f family) completeByLink(ctx context.Context, req completeByLinkRequest) (rest.Document, error) {
	if rest.IsSpeculative(ctx) {
		return rest.Document{Status: http.StatusNoContent}, nil
	}
	c, err := f.processing.Complete(ctx, string(req.ID), req.MD, "")
	if err != nil {
		return rest.Document{}, err
	}
	return f.leadBack(ctx, c)
}

// leadBack leads the payer of a challenge on. It redirects the browser to the merchant's page. Without a redirect_url
// it returns a page that reports the outcome to the frame's parent. If the challenge began on our payment page, the
// returned page leads back to that page or, once the checkout is paid, to the merchant.
func (f family) leadBack(ctx context.Context, c payments.Checkout) (rest.Document, error) {
	next, status := c.RedirectURL, c.StatusAt(f.store.Now())
	var err error
	if next != "" {
		if next, err = page.ReturnURL(next, c.ID); err != nil {
			return rest.Document{}, err
		}
	}
	switch onPage := c.Attempt != nil && c.Attempt.Browser != ""; {
	case !onPage && next != "":
		return rest.Document{Redirect: next}, nil
	case onPage && (next == "" || status != payments.CheckoutPaid):
		next = f.views.ReturnToPage(c.ID)
	}
	outcome, err := page.Outcome(rest.Language(ctx), c.ID, status, next)
	return rest.Document{HTML: outcome.HTML, CSP: outcome.CSP}, err
}
