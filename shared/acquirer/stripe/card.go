package stripe

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// findOwner returns Stripe's id of the charge's customer, if the charge's token is of that customer's card. Errors:
// errForeignCard.
func (a *Acquirer) findOwner(ctx context.Context, request acquirer.Charge) (string, error) {
	customer, err := a.records.readCustomer(ctx, request.Reference.Tenant, request.Customer)
	switch {
	case errors.Is(err, errNoCustomer) || !isName(request.Token):
		return "", errForeignCard
	case err != nil:
		return "", err
	}
	m, err := a.readMethod(ctx, request.Token)
	switch {
	case isMissing(err), err == nil && m.Customer != customer:
		return "", errForeignCard
	default:
		return customer, err
	}
}

func (a *Acquirer) readMethod(ctx context.Context, id string) (paymentMethod, error) {
	var m paymentMethod
	err := a.api.send(ctx, call{method: http.MethodGet, path: "/v1/payment_methods/" + id}, &m)
	return m, err
}

// provideCustomer returns Stripe's id of a tenant's customer. It creates the customer at Stripe, with our ids and no
// other details, if the customer has stored no card before. If two charges create the customer, the slower one's is
// never used.
func (a *Acquirer) provideCustomer(ctx context.Context, chargeID, tenant, customer string) (string, error) {
	known, err := a.records.readCustomer(ctx, tenant, customer)
	if !errors.Is(err, errNoCustomer) {
		return known, err
	}
	var created struct {
		ID string `json:"id"`
	}
	create := call{method: http.MethodPost, path: "/v1/customers", key: chargeID + "-customer", form: url.Values{}}
	setOurs(create.form, metaTenant, tenant)
	setOurs(create.form, metaCustomer, customer)
	err = a.api.send(ctx, create, &created)
	if err == nil && !isName(created.ID) {
		err = errors.New("stripe: the new customer has no id")
	}
	if err != nil {
		return "", err
	}
	return a.records.createCustomer(ctx, tenant, customer, created.ID)
}

// DeleteCard detaches a stored card from its customer. Stripe never charges the card again. It succeeds for a card that
// is unknown or detached, too.
func (a *Acquirer) DeleteCard(ctx context.Context, token string) error {
	if !isName(token) {
		return nil
	}
	var m paymentMethod
	err := a.api.send(ctx, call{method: http.MethodPost, path: "/v1/payment_methods/" + token + "/detach"}, &m)
	switch {
	case err == nil, isMissing(err):
		return nil
	case !isRefused(err):
		return err
	}
	m, readErr := a.readMethod(ctx, token)
	if isMissing(readErr) || readErr == nil && m.Customer == "" {
		return nil
	}
	return err
}
