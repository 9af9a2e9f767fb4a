// Package payouts serves a merchant's payouts and deductions (contract §6.7). Routes returns its operations.
package payouts

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// storage has the methods of the store that the family uses.
type storage interface {
	PayoutRecords(ctx context.Context, t identity.Tenant, firstDay, lastDay string, newestFirst bool, limit int) (
		[]payout.Record, error)
}

type family struct{ store storage }

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store.View}
	read := []string{"user.profile", "user.profile_readonly", "payouts.read"}
	const path = "/v1.0/merchants/{merchant_code}/payouts"
	return []rest.Route{
		{Method: "GET", Path: path, Scopes: read, Permission: identity.FullTransactionHistoryView, Errors: rest.Array,
			Handle: rest.JSON(200, f.list).Unchecked()},
		{Method: "GET", Path: "/v0.1/me/financials/payouts", Successor: path, Scopes: read,
			Permission: identity.FullTransactionHistoryView, Errors: rest.Array, Handle: rest.JSON(200, f.list).Unchecked()},
	}
}
