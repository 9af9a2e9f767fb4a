// Package transactions serves payments, history and refunds (contract §6.1 to §6.4, §13.4). Routes returns its
// operations.
package transactions

import (
	"context"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// storage has the methods of the store that the family uses.
type storage interface {
	History(ctx context.Context, t identity.Tenant, shards int, r store.Range,
		first, most int) iter.Seq2[store.HistoryEntry, error]
	ChangesSince(ctx context.Context, t identity.Tenant, shards int, r store.Range, since time.Time,
		most int) (store.Changes, error)
	HistoryItems(ctx context.Context, entries []store.HistoryEntry) ([]payments.HistoryItem, error)
	HistoryOf(ctx context.Context, t identity.Tenant, code string, r store.Range) iter.Seq2[payments.HistoryItem, error]
	HistoryPlace(ctx context.Context, t identity.Tenant, id string, sees func(creator string) bool) (store.Bound, error)
	Now() time.Time
	TakeToken(ctx context.Context, subject string, b store.Bucket) error
	TransactionByForeignID(ctx context.Context, t identity.Tenant, id string) (store.Record, error)
	Transactions(ctx context.Context, t identity.Tenant, code string) ([]store.Record, error)
}

type family struct {
	store      storage
	limits     app.HistoryLimits
	processing *processing.Processor
	refunds    payments.RefundRules
	baseURL    string
	cursorKeys func(time.Time) [][]byte // calls App.CursorKeys
}

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, limits: withDefaults(a.HistoryLimits()), processing: a.Processing, refunds: a.Refunds,
		baseURL: a.BaseURL, cursorKeys: a.CursorKeys}
	read, refund := []string{"transactions.history", "transactions.read"}, []string{"payments", "refunds.write"}
	const detail, history = "/v2.1/merchants/{merchant_code}/transactions",
		"/v2.1/merchants/{merchant_code}/transactions/history"
	others := []identity.Permission{identity.FullTransactionHistoryView} // needed to see transactions that others created
	return []rest.Route{
		{Method: "POST", Path: "/v0.1/me/refund/{txn_id}", Scopes: refund, Permission: identity.RefundTransactions,
			Partial: others, Handle: rest.JSON(204, f.refund)},
		{Method: "POST", Path: "/v1.0/merchants/{merchant_code}/payments/{transaction_id}/refunds", Scopes: refund,
			Permission: identity.RefundTransactions, Partial: others, Errors: rest.Listed,
			Handle: rest.JSON(201, f.createRefund)},
		{Method: "GET", Path: detail, Scopes: read, Partial: others, Handle: rest.JSON(200, f.retrieve)},
		{Method: "GET", Path: history, Scopes: read, Partial: others, Handle: rest.JSON(200, f.list)},
		{Method: "GET", Path: "/v0.1/me/transactions", Scopes: read, Partial: others, Successor: detail,
			Handle: rest.JSON(200, f.retrieveLegacy)},
		{Method: "GET", Path: "/v0.1/me/transactions/history", Scopes: read, Partial: others, Successor: history,
			Handle: rest.JSON(200, f.listLegacy)},
	}
}
