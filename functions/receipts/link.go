package receipts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// receiptLink is the response object of createReceiptLink (contract §6.6). In a repeated reply it has no url (contract
// §2.8).
type receiptLink struct {
	URL       string         `json:"url,omitempty"`
	ExpiresAt rest.Timestamp `json:"expires_at"`
}

// Redacted returns the link without its token.
func (l receiptLink) Redacted() any {
	l.URL = ""
	return l
}

// createLink handles createReceiptLink. It assigns a number to the receipt, as reading the receipt does.
func (f family) createLink(ctx context.Context, req receiptRequest) (receiptLink, error) {
	about, err := f.findAndNumber(ctx, req)
	if err != nil {
		return receiptLink{}, err
	}
	token, err := payments.NewReceiptToken(rest.Random(ctx))
	if err != nil {
		return receiptLink{}, err
	}
	made, err := f.store.CreateReceiptLink(ctx, rest.Caller(ctx).Tenant, about.newLink(token, f.store.Now()))
	return receiptLink{URL: f.address(token), ExpiresAt: rest.Timestamp(made.ExpiresAt)}, err
}

// address returns the URL of the receipt that the link's token opens.
func (f family) address(token string) string { return f.baseURL + "/receipts/" + token }
