package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// ChargeBack records money that the issuer took back, as the acquirer reports
// it under an id of its own; nil: all that is left. lost says the merchant
// cannot pay it (NON_COLLECTION). c is the transaction's checkout, whose
// return_url is told. Failures: Conflict, AboveRest, Invalid.
func (t Transaction) ChargeBack(c Checkout, id string, amount *money.Amount, lost bool, msgID string,
	now time.Time) (TransactionChange, error) {
	if !t.hasRest() {
		return TransactionChange{}, failure.Conflict("nothing of the transaction is left to charge back")
	}
	x, err := t.ofRest(amount)
	if err != nil {
		return TransactionChange{}, err
	}
	e := Event{ID: t.ChargeBackID(id), TransactionID: t.ID, Code: t.Code, Type: ChargeBackEvent, Status: EventSuccessful,
		Amount: x, CreatedAt: shown(now), UpdatedAt: shown(now), About: t.about()}
	t.Refundable, t.ChargedBack = minus(t.Refundable, x), plus(t.ChargedBack, x)
	t.NonCollection = t.NonCollection || lost
	t.EventCount++
	t.UpdatedAt = shown(now)
	change := t.returned(e, ledger.ChargeBack, PayableChargebackDeduction, now)
	change.Callback = newCallback(c, msgID, now)
	return change, nil
}

// ChargeBackID is the id of the event for a charge-back the acquirer reported
// under an id of its own.
func (t Transaction) ChargeBackID(id string) string { return eventID(t.ID, "charge-back "+id) }
