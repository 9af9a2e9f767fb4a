package customers

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
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
	ID      string                          `json:"customer_id" validate:"required text=255"` // chosen by the client
	Details *payments.PersonalDetailsChange `json:"personal_details"`
}

// create handles createCustomer.
func (f family) create(ctx context.Context, req createRequest) (customer, error) {
	c := payments.Customer{ID: req.ID, Details: req.Details.Apply(payments.PersonalDetails{}), CreatedAt: f.store.Now()}
	stored, err := f.store.CreateCustomer(ctx, rest.Caller(ctx).Tenant, c, rest.OperationID(ctx))
	return view(stored), err
}

type retrieveRequest struct {
	ID string `path:"customer_id"`
}

// retrieve handles retrieveCustomer.
func (f family) retrieve(ctx context.Context, req retrieveRequest) (customer, error) {
	c, err := f.store.Customer(ctx, rest.Caller(ctx).Tenant, req.ID)
	return view(c), err
}

type updateRequest struct {
	ID      string                          `path:"customer_id"`
	Details *payments.PersonalDetailsChange `json:"personal_details"`
}

// update handles updateCustomer. It overwrites only the fields in the request. Fields of the address are merged, too.
func (f family) update(ctx context.Context, req updateRequest) (customer, error) {
	c, err := f.store.UpdateCustomer(ctx, rest.Caller(ctx).Tenant, req.ID, req.Details)
	return view(c), err
}

// instrument is the response object of contract §5.2.
type instrument struct {
	Token     string            `json:"token"`
	Active    bool              `json:"active"`
	Type      string            `json:"type"`
	Card      card              `json:"card"`
	Mandate   *payments.Mandate `json:"mandate,omitempty"`
	CreatedAt rest.Instant      `json:"created_at"`
}

type card struct {
	LastFour string `json:"last_4_digits"`
	Brand    string `json:"type"`
}

// listInstruments handles listPaymentInstruments. It also returns inactive instruments.
func (f family) listInstruments(ctx context.Context, req retrieveRequest) ([]instrument, error) {
	saved, err := f.store.Instruments(ctx, rest.Caller(ctx).Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	views := make([]instrument, len(saved))
	for i, s := range saved {
		views[i] = instrument{Token: s.Token, Active: s.Active, Type: "card", Mandate: s.Mandate,
			Card: card{LastFour: s.Card.LastFour, Brand: s.Card.Brand}, CreatedAt: rest.Instant(s.CreatedAt)}
	}
	return views, nil
}

type deactivateRequest struct {
	CustomerID string  `path:"customer_id"`
	Token      rest.ID `path:"token"`
}

// forgetTime limits the time of the acquirer's call when a card is deactivated.
const forgetTime = 10 * time.Second

// deactivateInstrument handles deactivatePaymentInstrument. It first deactivates the card in our table, so that the
// card can no longer be charged. Then it deletes the card at the acquirer. A repeated request finishes an interrupted
// one.
func (f family) deactivateInstrument(ctx context.Context, req deactivateRequest) (rest.NoContent, error) {
	tenant := rest.Caller(ctx).Tenant
	saved, err := f.store.DeactivateInstrument(ctx, tenant, req.CustomerID, string(req.Token))
	if err != nil {
		return rest.NoContent{}, err
	}
	return rest.NoContent{}, f.forget(ctx, tenant, saved)
}

func (f family) forget(ctx context.Context, t identity.Tenant, saved payments.Instrument) error {
	token := saved.Card.AcquirerToken
	if token == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	if err := f.acquirers[t.Mode].DeleteCard(ctx, token); err != nil {
		return failure.Upstream(err)
	}
	return f.store.ForgetCard(ctx, t, saved.CustomerID, saved.Token, token)
}
