package processing

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// ChargebackRequest is a chargeback as the acquirer reported it.
type ChargebackRequest struct {
	TransactionID string        // its id or code
	ID            string        // the acquirer's; a repeated report changes nothing
	Amount        money.Literal // "": all that is left
	Lost          bool          // the merchant cannot pay it (NON_COLLECTION)
}

// Chargeback records a chargeback and its callback. Failures: NotFound, Invalid,
// Conflict.
func (p *Processor) Chargeback(ctx context.Context, t identity.Tenant,
	request ChargebackRequest) (payments.Event, error) {
	return store.Retry(func(bool) (payments.Event, error) {
		r, err := p.Store.FindTransaction(ctx, t, request.TransactionID)
		if err != nil {
			return payments.Event{}, err
		}
		if e, known := r.ChargebackBy(request.ID); known {
			return e, nil
		}
		c, err := p.Store.AnyCheckout(ctx, t, r.CheckoutID)
		if err != nil {
			return payments.Event{}, err
		}
		amount, err := amountOf(r.Transaction, request.Amount)
		if err != nil {
			return payments.Event{}, err
		}
		change, err := r.Chargeback(c, request.ID, amount, request.Lost, messageID(), p.Store.Now())
		if err != nil {
			return payments.Event{}, err
		}
		return change.Events[0], p.Store.ApplyTransaction(ctx, t, change, nil)
	})
}
