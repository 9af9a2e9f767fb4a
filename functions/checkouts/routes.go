// Package checkouts creates, charges and reads checkouts (contract §4, §13.1, §13.2). Routes returns its operations.
package checkouts

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// storage has the methods of the store that the family uses.
type storage interface {
	Checkout(ctx context.Context, t identity.Tenant, id string) (payments.Checkout, error)
	Checkouts(ctx context.Context, t identity.Tenant, shards int) iter.Seq2[payments.Checkout, error]
	CheckoutsByReference(ctx context.Context, t identity.Tenant, reference string) ([]payments.Checkout, error)
	CreateCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
	Customer(ctx context.Context, t identity.Tenant, id string) (payments.Customer, error)
	Now() time.Time
	RenameCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
	SaveCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
	TakeToken(ctx context.Context, subject string, b store.Bucket) error
}

type family struct {
	store      storage
	processing *processing.Processor
	views      checkout.Viewer
	callbacks  webhook.Policy
	hosts      payments.AcquirerHosts
}

// Routes returns the family's routes. It panics if ACQUIRER_HOSTS has a public suffix, so that the function does not
// start.
func Routes(a *app.App) []rest.Route {
	if err := a.AcquirerHosts.CheckSuffixes(); err != nil {
		panic("checkouts: ACQUIRER_HOSTS " + err.Error())
	}
	f := family{store: a.Store, processing: a.Processing,
		views:     checkout.Viewer{Processing: a.Processing, BaseURL: a.BaseURL, Now: a.Store.Now},
		callbacks: a.CallbackPolicy(), hosts: a.AcquirerHosts}
	read, write := []string{"payments", "checkouts.read"}, []string{"payments", "checkouts.write"}
	others := []identity.Permission{identity.FullTransactionHistoryView} // needed to see checkouts that others created
	partial := append(slices.Clone(others), identity.CreateMOTOPayments) // and the permission to charge saved cards
	const action = identity.CheckoutAction
	return []rest.Route{
		{Method: "POST", Path: "/v0.1/checkouts", Scopes: write, Action: action,
			Handle: rest.JSON(201, f.create).Unchecked()},
		{Method: "GET", Path: "/v0.1/checkouts", Scopes: read, Partial: partial, Handle: rest.JSON(200, f.list)},
		{Method: "GET", Path: "/v0.1/checkouts/{id}", Scopes: read, Partial: partial, Access: rest.PublicToo,
			Action: action, Handle: rest.JSON(200, f.retrieve)},
		{Method: "PUT", Path: "/v0.1/checkouts/{id}", Scopes: write, Partial: partial, Access: rest.PublicToo,
			Action: action, Errors: rest.Several, Handle: rest.JSON(200, f.process).Unchecked()},
		{Method: "DELETE", Path: "/v0.1/checkouts/{id}", Scopes: write, Partial: partial,
			Handle: rest.JSON(200, f.deactivate)},
		{Method: "PATCH", Path: "/v0.1/checkouts/{id}", Scopes: write, Partial: partial,
			Handle: rest.JSON(200, f.update).Unchecked()},
		{Method: "GET", Path: "/v0.1/checkouts/{id}/payment-methods", Scopes: read, Partial: others,
			Errors: rest.Details, Handle: rest.JSON(200, f.listCheckoutMethods)},
		{Method: "GET", Path: "/v0.1/merchants/{merchant_code}/payment-methods", Errors: rest.Details,
			Handle: rest.JSON(200, f.listMerchantMethods)},
		{Method: "POST", Path: "/v0.1/checkouts/{id}/complete_payment", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.complete)},
		{Method: "GET", Path: "/v0.1/checkouts/{id}/complete_payment", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.completeByLink)},
		{Method: "POST", Path: "/3ds/start", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.start)},
		{Method: "GET", Path: "/v0.1/artefacts/{id}/content", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.downloadArtefact)},
		{Method: "GET", Path: "/v0.1/checkouts/{id}/boletos/{n}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.downloadBoleto)},
	}
}
