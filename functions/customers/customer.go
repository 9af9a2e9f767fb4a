package customers

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// customer is the spec's Customer.
type customer struct {
	ID      string                   `json:"customer_id"`
	Details payments.PersonalDetails `json:"personal_details"`
}

func view(c payments.Customer) customer { return customer{ID: c.ID, Details: c.Details} }

type createRequest struct {
	ID      string                    `json:"customer_id"`
	Details *payments.PersonalDetails `json:"personal_details"`
}

// maxID bounds customer_id, which the client chooses (contract §5).
const maxID = 255

// create is row 12.
func (f family) create(ctx context.Context, req createRequest) (customer, error) {
	switch n := len([]rune(req.ID)); {
	case n == 0:
		return customer{}, failure.Missing("customer_id")
	case n > maxID:
		return customer{}, failure.Invalid("customer_id", "must have at most 255 characters")
	}
	if faults := req.Details.Check(); len(faults) > 0 {
		return customer{}, faults[0]
	}
	c := payments.Customer{ID: req.ID, Details: payments.PersonalDetails{}.Merge(req.Details), CreatedAt: f.store.Now()}
	stored, err := f.store.CreateCustomer(ctx, rest.Caller(ctx).Tenant, c, rest.OperationID(ctx))
	if err != nil {
		return customer{}, err
	}
	return view(stored), nil
}

type retrieveRequest struct {
	ID string `path:"customer_id"`
}

// retrieve is row 13.
func (f family) retrieve(ctx context.Context, req retrieveRequest) (customer, error) {
	c, err := f.store.Customer(ctx, rest.Caller(ctx).Tenant, req.ID)
	if err != nil {
		return customer{}, err
	}
	return view(c), nil
}

type updateRequest struct {
	ID      string                    `path:"customer_id"`
	Details *payments.PersonalDetails `json:"personal_details"`
}

// update is row 14: only what is sent is overwritten, also in the address.
func (f family) update(ctx context.Context, req updateRequest) (customer, error) {
	if faults := req.Details.Check(); len(faults) > 0 {
		return customer{}, faults[0]
	}
	c, err := f.store.UpdateCustomer(ctx, rest.Caller(ctx).Tenant, req.ID, req.Details)
	if err != nil {
		return customer{}, err
	}
	return view(c), nil
}
