// Package pages serves the payment page of hosted checkouts (contract §13.3). Routes returns its operations.
package pages

import (
	"context"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// storage has the methods of the store that the family uses.
type storage interface {
	HostedCheckout(ctx context.Context, id string) (identity.Tenant, payments.Checkout, error)
	Merchant(ctx context.Context, code string) (merchant.Merchant, error)
	Now() time.Time
}

type family struct {
	store      storage
	processing *processing.Processor
	views      checkout.Viewer
	path       string // path of the base URL, which precedes the paths of pages
}

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	base := strings.TrimRight(a.BaseURL, "/")
	f := family{store: a.Store, processing: a.Processing, path: rest.BasePath(base),
		views: checkout.Viewer{Processing: a.Processing, BaseURL: base, Now: a.Store.Now}}
	return []rest.Route{
		{Method: "GET", Path: "/pay/c-{checkout_id}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.show)},
		{Method: "POST", Path: "/pay/c-{checkout_id}/attempts", Access: rest.Open, Errors: rest.Several,
			Handle: rest.JSON(200, f.createAttempt).Unchecked()},
	}
}
