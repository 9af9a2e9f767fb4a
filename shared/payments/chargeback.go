package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Chargeback records money that the issuer took back. id is the acquirer's id of the chargeback. A nil amount means the
// whole rest. lost means that the merchant cannot pay the chargeback (NON_COLLECTION). c is the transaction's checkout;
// if c is online, its return_url gets a callback (contract §11.1). Failures: Conflict, AmountTooHighError, Invalid.
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
	t.setChanged(now)
	change := t.postReturn(e, ledger.Chargeback, PayableChargebackDeduction, now)
	if c.Reader == nil { // a reader's callback could only say "paid" (contract §11.4)
		change.Callback = newCallback(c, msgID, now)
	}
	return change, nil
}

// ChargebackID returns the id of the event for a chargeback that the acquirer reports under the given id.
func (t Transaction) ChargebackID(id string) string { return eventID(t.ID, "chargeback "+id) }
