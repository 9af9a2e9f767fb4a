package stripe

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// The acquirer's items:
//
//	entity    pk                                     sk
//	charge    STRIPE#CHARGE#<id>                     CHARGE     or a tombstone in its place
//	refund    STRIPE#REFUND#<id>                     REFUND     or a tombstone in its place
//	customer  STRIPE#CUSTOMER#<tenant>#<customer>    CUSTOMER
//
// A charge or refund without an outcome is pinned or sent. Its outcome is written once. A tombstone has an outcome, but
// no intent.

func chargeKey(id string) table.Key { return table.NewKey("STRIPE#CHARGE#"+id, "CHARGE") }
func refundKey(id string) table.Key { return table.NewKey("STRIPE#REFUND#"+id, "REFUND") }

func customerKey(tenant, customer string) table.Key {
	return table.NewKey("STRIPE#CUSTOMER#"+tenant+"#"+customer, "CUSTOMER")
}

// charge is a charge as it is stored.
type charge struct {
	ID           string          `dynamo:"-"` // part of the key
	Intent       string          `dynamo:"intent,omitempty"`
	Tenant       string          `dynamo:"tenant,omitempty"`
	CheckoutID   string          `dynamo:"checkout_id,omitempty"`
	Amount       money.Amount    `dynamo:"amount,omitempty"`
	Method       payments.Method `dynamo:"method,omitempty"`
	Verification bool            `dynamo:"verification,omitempty"`
	Unattended   bool            `dynamo:"unattended,omitempty"`  // the payer is absent
	KeepsCard    bool            `dynamo:"keeps_card,omitempty"`  // the customer's card is stored with an approval
	NeverTaken   bool            `dynamo:"never_taken,omitempty"` // Stripe has refused its request, or would refuse it
	Closing      *outcome        `dynamo:"closing,omitempty"`     // if the intent is cancelled; nil: it tells itself
	Outcome      *outcome        `dynamo:"outcome,omitempty"`     // nil while the charge is pinned
}

// refund is a refund as it is stored.
type refund struct {
	ID         string       `dynamo:"-"` // part of the key
	ChargeID   string       `dynamo:"charge_id,omitempty"`
	Intent     string       `dynamo:"intent,omitempty"`
	Tenant     string       `dynamo:"tenant,omitempty"`
	CheckoutID string       `dynamo:"checkout_id,omitempty"`
	Amount     money.Amount `dynamo:"amount,omitempty"`
	SentAt     time.Time    `dynamo:"sent_at,omitempty"` // before the first request for it
	Name       string       `dynamo:"stripe_id,omitempty"`
	Outcome    *outcome     `dynamo:"outcome,omitempty"` // nil while the refund is sent
}

// outcome is a final outcome as it is stored.
type outcome struct {
	Decision             payments.Decision     `dynamo:"decision"`
	AuthCode             string                `dynamo:"auth_code,omitempty"`
	ReturnCode           string                `dynamo:"return_code,omitempty"`
	Card                 *payments.CardSummary `dynamo:"card,omitempty"`
	AcquirerReference    string                `dynamo:"reference,omitempty"`
	NetworkTransactionID string                `dynamo:"network_transaction_id,omitempty"`
	ThreeDS              payments.ThreeDS      `dynamo:"eci,omitempty"`
	NeverRetry           bool                  `dynamo:"never_retry,omitempty"`
}

// inPort returns the outcome in the form of the port.
func (o outcome) inPort() payments.Outcome {
	return payments.Outcome{Decision: o.Decision, AuthCode: o.AuthCode, ReturnCode: o.ReturnCode, Card: o.Card,
		AcquirerReference: o.AcquirerReference, NetworkTransactionID: o.NetworkTransactionID, ThreeDS: o.ThreeDS,
		NeverRetry: o.NeverRetry}
}

type chargeItem struct {
	table.Key
	WriteID string `dynamo:"write_id"` // of the write that created the item, by which its writer recognises the item
	charge
}

type refundItem struct {
	table.Key
	refund
}

type customerItem struct {
	table.Key
	Name string `dynamo:"stripe_id"`
}

// records reads and writes the acquirer's records in the table.
type records struct{ table.Client }

// Conditions of writes.
const (
	isNew  = "attribute_not_exists(pk)"
	isOpen = "attribute_exists(pk) AND attribute_not_exists('outcome')"
)

// readCharge reads a charge. Errors: ErrUnknownCharge.
func (b records) readCharge(ctx context.Context, id string) (charge, error) {
	item, err := table.One[chargeItem](ctx, b.Client, chargeKey(id), acquirer.ErrUnknownCharge)
	item.ID = id
	return item.charge, err
}

// create stores a new charge: pinned, declined before it was pinned, or a tombstone. It returns true if this call has
// stored the charge. For a known id it returns the stored charge. After an error the charge may be stored later, but
// then nothing confirms its intent.
func (b records) create(ctx context.Context, c charge) (stored charge, created bool, err error) {
	item := chargeItem{Key: chargeKey(c.ID), WriteID: uuid.NewString(), charge: c}
	found, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If(isNew).Run, nil)
	found.ID = c.ID
	return found.charge, err == nil && found.WriteID == item.WriteID, err
}

// update stores the closing or the final outcome of a pinned charge. It returns the charge that is stored then, which
// may have another call's outcome.
func (b records) update(ctx context.Context, c charge) (charge, error) {
	item := chargeItem{Key: chargeKey(c.ID), charge: c}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If(isOpen).Run,
		func(i chargeItem) bool { return i.Outcome == nil && (c.Outcome != nil || i.Closing == nil) })
	stored.ID = c.ID
	return stored.charge, err
}

var errUnknownRefund = errors.New("stripe: unknown refund")

func (b records) readRefund(ctx context.Context, id string) (refund, error) {
	item, err := table.One[refundItem](ctx, b.Client, refundKey(id), errUnknownRefund)
	item.ID = id
	return item.refund, err
}

// createRefund stores a new refund: sent, declined before it was sent, or a tombstone. For a known id it returns the
// stored refund.
func (b records) createRefund(ctx context.Context, r refund) (refund, error) {
	item := refundItem{Key: refundKey(r.ID), refund: r}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If(isNew).Run, nil)
	stored.ID = r.ID
	return stored.refund, err
}

// updateRefund stores Stripe's id or the final outcome of a sent refund. It returns the refund that is stored then,
// which may have another call's outcome.
func (b records) updateRefund(ctx context.Context, r refund) (refund, error) {
	item := refundItem{Key: refundKey(r.ID), refund: r}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If(isOpen).Run,
		func(i refundItem) bool { return i.Outcome == nil })
	stored.ID = r.ID
	return stored.refund, err
}

var errNoCustomer = errors.New("stripe: unknown customer")

// readCustomer returns Stripe's id of a tenant's customer. Errors: errNoCustomer.
func (b records) readCustomer(ctx context.Context, tenant, customer string) (string, error) {
	item, err := table.One[customerItem](ctx, b.Client, customerKey(tenant, customer), errNoCustomer)
	return item.Name, err
}

// createCustomer stores Stripe's id of a tenant's customer. For a known customer it returns the stored id.
func (b records) createCustomer(ctx context.Context, tenant, customer, name string) (string, error) {
	item := customerItem{Key: customerKey(tenant, customer), Name: name}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If(isNew).Run, nil)
	return stored.Name, err
}
