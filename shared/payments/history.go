package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// HistoryItem is a payment, refund or chargeback as the history lists it
// (contract §6.2).
type HistoryItem struct {
	ID            string       `dynamo:"id"` // of the transaction or event
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Type          EventType    `dynamo:"type"`
	RawStatus     string       `dynamo:"status"` // a TransactionStatus, or an EventStatus
	SimpleStatus  SimpleStatus `dynamo:"simple_status"`
	Amount        money.Amount `dynamo:"amount"`
	Refunded      money.Amount `dynamo:"refunded"`      // payments only
	Payouts       []PayoutPart `dynamo:"payouts"`       // likewise
	Location      *Location    `dynamo:"location"`      // where a reader took it; nil online
	Reader        string       `dynamo:"reader_serial"` // "" online
	CreatedAt     time.Time    `dynamo:"created_at"`
	UpdatedAt     time.Time    `dynamo:"updated_at"`
	TransactionSummary
}

// Status is the item's status as the history shows it (contract §6.2).
func (h HistoryItem) Status() TransactionStatus {
	if h.Type == PaymentItem {
		return TransactionStatus(h.RawStatus)
	}
	switch EventStatus(h.RawStatus) {
	case EventFailed:
		return TransactionFailed
	case EventPending:
		return TransactionPending
	default:
		return TransactionSuccessful
	}
}

// RefundedAmount is how much of the payment was refunded. A verification counts
// as refunded in full: it was authorized and released (contract §4.6).
func (h HistoryItem) RefundedAmount() money.Amount {
	if h.SimpleStatus == SimpleRefunded && h.Refunded.IsZero() {
		return h.Amount
	}
	return h.Refunded
}

// PayoutsTotal counts the payouts that the payment has or will have.
func (h HistoryItem) PayoutsTotal() int { return Transaction{Payouts: h.Payouts}.PayoutsTotal() }

// PayoutsReceived counts the payouts made.
func (h HistoryItem) PayoutsReceived() int { return Transaction{Payouts: h.Payouts}.PayoutsReceived() }

// HistoryItem is the transaction as the history lists it.
func (t Transaction) HistoryItem() HistoryItem {
	return HistoryItem{ID: t.ID, TransactionID: t.ID, Code: t.Code, Type: PaymentItem, RawStatus: string(t.Status),
		SimpleStatus: t.SimpleStatus(), Amount: t.Amount, Refunded: t.Refunded, Payouts: t.Payouts,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, TransactionSummary: t.summary()}
}

// HistoryItem is the event as the history lists it.
func (e Event) HistoryItem() HistoryItem {
	return HistoryItem{ID: e.ID, TransactionID: e.TransactionID, Code: e.Code, Type: e.Type, RawStatus: string(e.Status),
		Amount: e.Amount, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, TransactionSummary: e.TransactionSummary}
}

// shown is a time as precise as clients see it, so that a time they send back
// selects the same item.
func shown(t time.Time) time.Time { return t.Truncate(time.Millisecond) }
