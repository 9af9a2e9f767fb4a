// Package customers serves a merchant's customers and their saved cards (contract §5). Routes returns its operations.
package customers

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// storage has the methods of the store that the family uses.
type storage interface {
	CreateCustomer(ctx context.Context, t identity.Tenant, c payments.Customer,
		operation string) (payments.Customer, error)
	Customer(ctx context.Context, t identity.Tenant, id string) (payments.Customer, error)
	DeactivateInstrument(ctx context.Context, t identity.Tenant, customer, token string) (payments.Instrument, error)
	ForgetCard(ctx context.Context, t identity.Tenant, customer, token, acquirerToken string) error
	Instruments(ctx context.Context, t identity.Tenant, customer string) ([]payments.Instrument, error)
	Now() time.Time
	UpdateCustomer(ctx context.Context, t identity.Tenant, id string,
		change *payments.PersonalDetailsChange) (payments.Customer, error)
}

type family struct {
	store     storage
	acquirers map[identity.Mode]acquirer.Acquirer
}

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, acquirers: a.Acquirers}
	read, write := []string{"payment_instruments", "customers.read"}, []string{"payment_instruments", "customers.write"}
	const one, cards = "/v0.1/customers/{customer_id}", "/v0.1/customers/{customer_id}/payment-instruments"
	const payers = identity.CreateMOTOPayments // the permission to charge saved cards while the payer is absent
	return []rest.Route{
		{Method: "POST", Path: "/v0.1/customers", Scopes: write, Permission: payers, Handle: rest.JSON(201, f.create)},
		{Method: "GET", Path: one, Scopes: read, Permission: payers, Handle: rest.JSON(200, f.retrieve)},
		{Method: "PUT", Path: one, Scopes: write, Permission: payers, Handle: rest.JSON(200, f.update)},
		{Method: "GET", Path: cards, Scopes: read, Permission: payers, Handle: rest.JSON(200, f.listInstruments)},
		{Method: "DELETE", Path: cards + "/{token}", Scopes: write, Permission: payers,
			Handle: rest.JSON(204, f.deactivateInstrument)},
	}
}
