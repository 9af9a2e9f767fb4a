package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Instrument is a customer's saved card. It never has the number, which the acquirer keeps under Card.AcquirerToken.
type Instrument struct {
	Token      string      `dynamo:"token"` // ours, UUID v4 shaped
	CustomerID string      `dynamo:"customer_id"`
	Active     bool        `dynamo:"active"`
	Card       CardSummary `dynamo:"card"`
	Mandate    *Mandate    `dynamo:"mandate,omitempty"`
	CreatedAt  time.Time   `dynamo:"created_at"`

	// NetworkTransactionID names the charge in which the payer gave the mandate; "" if the acquirer gave none.
	NetworkTransactionID string `dynamo:"network_transaction_id,omitempty"`
}

// CheckChargeable refuses a card that cannot be charged at all. The client gets 402, not a decline (contract §3.4).
func (i Instrument) CheckChargeable(now time.Time) error {
	switch {
	case !i.Active:
		return failure.NotChargeable("The payment instrument is deactivated.")
	case i.Card.Expired(now):
		return failure.NotChargeable("The card has expired.")
	case i.Mandate != nil && i.Mandate.Status != MandateActive:
		return failure.NotChargeable("The mandate is inactive.")
	default:
		return nil
	}
}

// RecurringPayment is the payment type of a charge under a mandate, without the payer.
const RecurringPayment = "RECURRING"

// Recurring returns true if the card can be charged without the payer, under an active mandate (contract §4.6).
func (i Instrument) Recurring() bool { return i.Mandate != nil && i.Mandate.Status == MandateActive }

// Deactivated returns the instrument as deactivated by the merchant, which also ends its mandate (contract §5.2).
func (i Instrument) Deactivated() Instrument {
	i.Active = false
	if i.Mandate != nil {
		mandate := *i.Mandate
		mandate.Status = MandateInactive
		i.Mandate = &mandate
	}
	return i
}
