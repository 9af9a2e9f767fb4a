// Package receipts is the family of contract §6.6: what a receipt of a
// transaction, or of a refund of it, has to show; as JSON for the merchant, and by a
// link as a page or PDF for the payer.
package receipts

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// family is what the operations work with.
type family struct {
	store   *store.Store
	token   func(mailID string) string // of the link in a mail
	baseURL string                     // of the API, without a trailing slash
	drawn   *drawnPDFs
	commit  string // of the code that draws PDFs
}

// Routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, token: a.ReceiptToken, baseURL: strings.TrimRight(a.BaseURL, "/"),
		drawn: newDrawnPDFs(), commit: a.Commit}
	const one = "/v1.1/receipts/{id}"
	read := []string{"receipts.read", "transactions.read", "transactions.history", "payments"}
	write := []string{"payments", "checkouts.write"}
	partial := []identity.Permission{identity.FullTransactionHistoryView}
	return []rest.Route{
		{Method: "GET", Path: one, Scopes: read, Partial: partial, Handle: rest.JSON(200, f.retrieve)},
		{Method: "GET", Path: "/v1.0/receipts/{id}", Successor: one, Scopes: read, Partial: partial,
			Handle: rest.JSON(200, f.retrieve)},
		{Method: "POST", Path: one + "/links", Scopes: read, Partial: partial, Handle: rest.JSON(201, f.createLink)},
		{Method: "POST", Path: one + "/emails", Scopes: write, Partial: partial, Handle: rest.JSON(202, f.email)},
		{Method: "GET", Path: "/receipts/{token}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.show)},
	}
}
