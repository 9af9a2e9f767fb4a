package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type customerItem struct {
	key
	Operation string `dynamo:"operation"` // the request that created the customer
	payments.Customer
}

// maxInstruments bounds the saved cards listed for one customer.
const maxInstruments = 1000

// CreateCustomer stores a new customer. Repeated by the same operation, it returns the stored customer. Failure:
// Conflict CUSTOMER_ALREADY_EXISTS.
func (s *Store) CreateCustomer(ctx context.Context, t identity.Tenant, c payments.Customer,
	operation string) (payments.Customer, error) {
	c.Version = 1
	item := customerItem{key: customerKey(t, c.ID), Operation: operation, Customer: c}
	err := s.table.Put(item).If("attribute_not_exists(pk)").Run(ctx)
	if err == nil {
		return c, nil
	}
	stored, readErr := s.readCustomerItem(ctx, t, c.ID)
	switch {
	case failure.Is(readErr, failure.KindNotFound):
		return c, err
	case readErr != nil:
		return c, errors.Join(err, readErr)
	case stored.Operation == operation:
		return stored.Customer, nil
	default:
		return c, failure.Conflict("A customer with this customer_id already exists.").WithCode("CUSTOMER_ALREADY_EXISTS")
	}
}

// Customer reads one customer. Failure: NotFound.
func (s *View) Customer(ctx context.Context, t identity.Tenant, id string) (payments.Customer, error) {
	item, err := s.readCustomerItem(ctx, t, id)
	return item.Customer, err
}

func (s *View) readCustomerItem(ctx context.Context, t identity.Tenant, id string) (customerItem, error) {
	return readOne[customerItem](ctx, s, customerKey(t, id), failure.NotFound("There is no such customer."))
}

// UpdateCustomer applies a change to the customer, field by field (contract §5.1). Failure: NotFound.
func (s *Store) UpdateCustomer(ctx context.Context, t identity.Tenant, id string,
	change *payments.PersonalDetailsChange) (payments.Customer, error) {
	return Retry(func(bool) (payments.Customer, error) {
		item, err := s.readCustomerItem(ctx, t, id)
		if err != nil {
			return payments.Customer{}, err
		}
		item.Details = change.Apply(item.Details)
		item.Version++
		err = s.table.Put(item).If("version = ?", item.Version-1).Run(ctx)
		return item.Customer, ifRefused(err, ErrStale)
	})
}

// Instruments lists a customer's saved cards by token, also inactive ones. Failure: NotFound for an unknown customer.
func (s *View) Instruments(ctx context.Context, t identity.Tenant, customer string) ([]payments.Instrument, error) {
	if _, err := s.Customer(ctx, t, customer); err != nil {
		return nil, err
	}
	instruments := []payments.Instrument{}
	err := s.prefixed(customerKey(t, customer).PK, cardPrefix).Limit(maxInstruments).All(ctx, &instruments)
	return instruments, err
}

// Instrument reads one saved card of a customer. Failure: NotFound.
func (s *View) Instrument(ctx context.Context, t identity.Tenant, customer,
	token string) (payments.Instrument, error) {
	return readOne[payments.Instrument](ctx, s, cardKey(t, customer, token),
		failure.NotFound("There is no such payment instrument."))
}

// CheckoutWithInstrument reads a checkout and a saved card in one call. The card is nil if it is unknown. Failure:
// NotFound for the checkout.
func (s *View) CheckoutWithInstrument(ctx context.Context, t identity.Tenant, id, customer,
	token string) (payments.Checkout, *payments.Instrument, error) {
	var checkout checkoutItem
	var instrument payments.Instrument
	err := s.table.newGetTx().
		GetOne(s.get(checkoutKey(t, id)), &checkout).
		GetOne(s.get(cardKey(t, customer, token)), &instrument).
		Run(ctx)
	switch {
	case errors.Is(err, dynamo.ErrNotFound) || (err == nil && (checkout.ID == "" || checkout.Reader != nil)):
		return payments.Checkout{}, nil, ErrNoCheckout
	case err != nil:
		return payments.Checkout{}, nil, err
	case instrument.Token == "":
		return checkout.Checkout, nil, nil
	default:
		return checkout.Checkout, &instrument, nil
	}
}

// instrumentUpdate returns the update that adds a card, or replaces the card with the same token. A replaced card keeps
// its creation time. It also keeps its mandate, unless there is a new mandate.
func (s *Store) instrumentUpdate(t identity.Tenant, i payments.Instrument) *dynamo.Update {
	update := s.update(cardKey(t, i.CustomerID, i.Token)).
		Set("token", i.Token).Set("customer_id", i.CustomerID).Set("active", i.Active).
		Set("card", i.Card).SetIfNotExists("created_at", i.CreatedAt)
	if i.Mandate != nil {
		update.Set("mandate", i.Mandate).Set("network_transaction_id", i.NetworkTransactionID)
	}
	return update
}

// DeactivateInstrument makes a saved card unusable and ends its mandate (contract §5.2). It returns the card as it was,
// for the deletion at the acquirer. Repeating the call is safe. Failure: NotFound.
func (s *Store) DeactivateInstrument(ctx context.Context, t identity.Tenant, customer,
	token string) (payments.Instrument, error) {
	before, err := s.Instrument(ctx, t, customer, token)
	if err != nil || !before.Active {
		return before, err
	}
	after := before.Deactivated()
	update := s.update(cardKey(t, customer, token)).Set("active", after.Active)
	if after.Mandate != nil {
		update.Set("mandate", after.Mandate)
	}
	return before, update.If("attribute_exists(pk)").Run(ctx)
}

// RefuseCard deactivates a saved card that its issuer has refused for good, and ends its mandate. A card that was saved
// again meanwhile has another token of the acquirer, and stays active. RefuseCard reads nothing, because functions that
// learn a refusal need not know cards. Repeating the call is safe.
func (s *Store) RefuseCard(ctx context.Context, t identity.Tenant, c payments.RefusedCard) error {
	refuse := func(update *dynamo.Update, mandate string) error {
		return update.Set("active", false).If("card.acquirer_token = ? AND "+mandate, c.AcquirerToken).Run(ctx)
	}
	k := cardKey(t, c.CustomerID, c.Token)
	err := refuse(s.update(k).Set("mandate.'status'", payments.MandateInactive), "attribute_exists(mandate)")
	if dynamo.IsCondCheckFailed(err) {
		err = ifRefused(refuse(s.update(k), "attribute_not_exists(mandate)"), nil)
	}
	return err
}

// ForgetCard removes the acquirer's token of a deactivated card, after the acquirer has forgotten the card. A card that
// was saved again stays unchanged.
func (s *Store) ForgetCard(ctx context.Context, t identity.Tenant, customer, token, acquirerToken string) error {
	err := s.update(cardKey(t, customer, token)).Remove("card.acquirer_token").
		If("active = ? AND card.acquirer_token = ?", false, acquirerToken).Run(ctx)
	return ifRefused(err, nil)
}
