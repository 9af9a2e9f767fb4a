package customers

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// customer is the response object of contract §5.1.
type customer struct {
	ID      string                   `json:"customer_id"`
	Details payments.PersonalDetails `json:"personal_details"`
}

func view(c payments.Customer) customer { return customer{ID: c.ID, Details: c.Details} }

type createRequest struct {
	ID      string                          `json:"customer_id" validate:"required text=255"` // which the client chooses
	Details *payments.PersonalDetailsChange `json:"personal_details"`
}

// create is createCustomer.
func (f family) create(ctx context.Context, req createRequest) (customer, error) {
	c := payments.Customer{ID: req.ID, Details: req.Details.Apply(payments.PersonalDetails{}), CreatedAt: f.store.Now()}
	stored, err := f.store.CreateCustomer(ctx, rest.Caller(ctx).Tenant, c, rest.OperationID(ctx))
	if err != nil {
		return customer{}, err
	}
	return view(stored), nil
}

type retrieveRequest struct {
	ID string `path:"customer_id"`
}

// retrieve is retrieveCustomer.
func (f family) retrieve(ctx context.Context, req retrieveRequest) (customer, error) {
	c, err := f.store.Customer(ctx, rest.Caller(ctx).Tenant, req.ID)
	if err != nil {
		return customer{}, err
	}
	return view(c), nil
}

type updateRequest struct {
	ID      string                          `path:"customer_id"`
	Details *payments.PersonalDetailsChange `json:"personal_details"`
}

// update is updateCustomer: only what is sent is overwritten, also in the address.
func (f family) update(ctx context.Context, req updateRequest) (customer, error) {
	c, err := f.store.UpdateCustomer(ctx, rest.Caller(ctx).Tenant, req.ID, req.Details)
	if err != nil {
		return customer{}, err
	}
	return view(c), nil
}
