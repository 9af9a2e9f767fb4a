// Package receipts is the family of contract §6.6: what a receipt of a
// transaction, or of a refund of it, has to show.
package receipts

import (
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// family is what the operations work with.
type family struct{ store *store.Store }

// Routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store}
	read := []string{"receipts.read", "transactions.read", "transactions.history", "payments"}
	return []rest.Route{
		{Method: "GET", Path: "/v1.1/receipts/{id}", Scopes: read,
			Partial: []identity.Permission{identity.FullTransactionHistoryView}, Handle: rest.JSON(200, f.retrieve)},
	}
}
