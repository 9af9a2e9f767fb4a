// Package readers serves card readers and payments at them (contract §9, §13.7). Routes returns its operations.
package readers

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/reader/run"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// storage has the methods of the store that the family uses.
type storage interface {
	CardReader(ctx context.Context, t identity.Tenant, id string) (reader.Reader, error)
	Now() time.Time
	UpdateCardReader(ctx context.Context, by audit.By, t identity.Tenant, id string,
		change func(reader.Reader) reader.Reader) (reader.Reader, error)
}

type family struct {
	store     storage
	readers   *run.Driver
	callbacks webhook.Policy
}

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, readers: a.Processing.Readers, callbacks: a.CallbackPolicy()}
	const all = "/v0.1/merchants/{merchant_code}/readers"
	const one = all + "/{reader_id}"
	others := []identity.Permission{identity.FullTransactionHistoryView} // needed to see and end checkouts of others
	const mayRead, mayWrite = "readers.read", "readers.write"
	read, write := []string{mayRead, "terminals.read"}, []string{mayWrite, "terminals.write"}
	return []rest.Route{
		{Method: "GET", Path: all, Scopes: read, Handle: rest.JSON(200, f.list)},
		{Method: "POST", Path: all, Scopes: write, Errors: rest.Listed, Handle: rest.JSON(201, f.create)},
		{Method: "GET", Path: one, Scopes: read, Handle: rest.JSON(200, f.retrieve)},
		{Method: "PATCH", Path: one, Scopes: write, Handle: rest.JSON(200, f.update)},
		{Method: "DELETE", Path: one, Scopes: write, Partial: others, Handle: rest.JSON(200, f.delete)},
		{Method: "GET", Path: one + "/status", Scopes: []string{mayRead}, Errors: rest.Readers,
			Handle: rest.JSON(200, f.retrieveStatus)},
		{Method: "GET", Path: one + "/settings", Scopes: []string{mayRead}, Errors: rest.Readers,
			Handle: rest.JSON(200, f.retrieveSettings)},
		{Method: "PATCH", Path: one + "/settings", Scopes: []string{mayWrite}, Errors: rest.Readers,
			Handle: rest.JSON(200, f.updateSettings)},
		{Method: "POST", Path: one + "/checkout", Scopes: []string{mayWrite}, Errors: rest.Readers,
			Handle: rest.JSON(201, f.createCheckout)},
		{Method: "GET", Path: one + "/checkout/{checkout_id}", Scopes: []string{mayRead}, Partial: others,
			Handle: rest.JSON(200, f.retrieveCheckout)},
		{Method: "POST", Path: one + "/terminate", Scopes: []string{mayWrite}, Partial: others, Errors: rest.Readers,
			Handle: rest.JSON(202, f.terminate)},
	}
}
