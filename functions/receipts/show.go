package receipts

import (
	"context"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type showRequest struct {
	Token string `path:"token"` // of a link; with .pdf at its end the receipt as PDF
}

var receiptPage = page.New("")

// pdfSuffix asks for a PDF.
const pdfSuffix = ".pdf"

// show is showReceipt: a receipt for whoever has a link to it, as a page or PDF. Failure: NotFound, the same for every
// invalid token.
func (f family) show(ctx context.Context, req showRequest) (rest.Document, error) {
	token, asPDF := strings.CutSuffix(req.Token, pdfSuffix)
	s, err := f.sheet(ctx, token)
	switch {
	case err != nil:
		return rest.Document{}, err
	case asPDF:
		return f.showPDF(ctx, s)
	}
	drawn, err := receiptPage.In(s.language).Draw(s.heading(), receiptBody(s, f.address(token)+pdfSuffix))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}

// sheet reads the receipt that a token leads to. It is numbered now if it was not before.
func (f family) sheet(ctx context.Context, token string) (sheet, error) {
	if !payments.IsReceiptToken(token) {
		return sheet{}, store.ErrNoLink
	}
	tenant, link, err := f.store.ReceiptLink(ctx, payments.ReceiptTokenHash(token))
	if err != nil {
		return sheet{}, err
	}
	r, err := f.store.Transaction(ctx, tenant, link.TransactionID)
	if err != nil {
		return sheet{}, err
	}
	about, found := behind(link, r)
	if !found {
		return sheet{}, store.ErrNoLink
	}
	if err = f.assignNumber(ctx, tenant, about); err != nil {
		return sheet{}, err
	}
	m, err := f.store.Merchant(ctx, tenant.Merchant)
	if err != nil {
		return sheet{}, err
	}
	a, err := f.store.Account(ctx, tenant.Merchant)
	return newSheet(about, m, a, tenant.Mode == identity.Test), err
}
