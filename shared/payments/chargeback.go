package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Chargeback records money that the issuer took back, as the acquirer reports it under its id; by default all that is
// left. lost means that the merchant cannot pay it (NON_COLLECTION). c is the transaction's checkout, whose return_url
// gets a callback if it is online (contract §11.1). Failures: Conflict, AmountTooHighError, Invalid.
func (t Transaction) Chargeback(c Checkout, id string, amount *money.Amount, lost bool, msgID string,
	now time.Time) (TransactionChange, error) {
	if !t.hasRefundable() {
		return TransactionChange{}, failure.Conflict("Nothing of the transaction is left to charge back.")
	}
	x, err := t.refundAmount(amount)
	if err != nil {
		return TransactionChange{}, err
	}
	e := t.newEvent(t.ChargebackID(id), ChargebackEvent, EventSuccessful, x, now)
	t.Refundable, t.ChargedBack = minus(t.Refundable, x), plus(t.ChargedBack, x)
	t.NonCollection = t.NonCollection || lost
	t.EventCount++
	t.UpdatedAt = shown(now)
	change := t.returned(e, ledger.Chargeback, PayableChargebackDeduction, now)
	if c.Reader == nil { // whose callback could only say that it was paid (contract §11.4)
		change.Callback = newCallback(c, msgID, now)
	}
	return change, nil
}

// ChargebackID returns the id of the event for a chargeback that the acquirer reported under its id.
func (t Transaction) ChargebackID(id string) string { return eventID(t.ID, "chargeback "+id) }
