package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// HistoryItem is a payment, refund or chargeback in the history (contract §6.2).
type HistoryItem struct {
	ID            string // of the transaction or event
	TransactionID string
	Code          string
	Type          EventType
	RawStatus     string // a TransactionStatus, or an EventStatus
	SimpleStatus  SimpleStatus
	Amount        money.Amount
	Refunded      money.Amount // payments only
	Payouts       []PayoutPart // payments only
	CreatedAt     time.Time
	UpdatedAt     time.Time
	TransactionSummary
}

// HistoryEntry has an item's fields for filters, but not the time of the last change. A payout changes none of these
// fields, so it does not write to the history's index.
type HistoryEntry struct {
	ID          string        `dynamo:"-"` // of the transaction or event
	Type        EventType     `dynamo:"type"`
	RawStatus   string        `dynamo:"status"`        // a TransactionStatus, or an EventStatus
	ReversedAs  HistoryStatus `dynamo:"reversed_as"`   // HistoryRefunded, HistoryChargeback or ""; payments only
	Username    string        `dynamo:"username"`      // the transaction's
	PaymentType string        `dynamo:"payment_type"`  // contract §2.7
	EntryMode   string        `dynamo:"entry_mode"`    // contract §2.7
	Location    *Location     `dynamo:"location"`      // of a payment at a reader; nil online
	Reader      string        `dynamo:"reader_serial"` // "" online
}

// Entry returns the fields of the item that filters read.
func (h HistoryItem) Entry() HistoryEntry {
	return HistoryEntry{ID: h.ID, Type: h.Type, RawStatus: h.RawStatus, ReversedAs: h.SimpleStatus.reversedAs(),
		Username: h.Username, PaymentType: h.PaymentType, EntryMode: h.EntryMode, Location: h.Location, Reader: h.Reader}
}

// ReversedAs returns the status under which the history finds a payment that went back to the payer, or "".
func (t Transaction) ReversedAs() HistoryStatus { return t.SimpleStatus().reversedAs() }

func (s SimpleStatus) reversedAs() HistoryStatus {
	switch s {
	case SimpleRefunded:
		return HistoryRefunded
	case SimpleChargeback, SimpleNonCollection:
		return HistoryChargeback
	default:
		return ""
	}
}

// Status returns the status that the history shows (contract §6.2).
func (h HistoryItem) Status() TransactionStatus { return h.Entry().Status() }

// Status returns the status that the history shows (contract §6.2).
func (h HistoryEntry) Status() TransactionStatus {
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

// PayoutsTotal counts the payouts that the payment has or will have.
func (h HistoryItem) PayoutsTotal() int { return Transaction{Payouts: h.Payouts}.PayoutsTotal() }

// PayoutsReceived counts the payouts already made.
func (h HistoryItem) PayoutsReceived() int { return Transaction{Payouts: h.Payouts}.PayoutsReceived() }

// HistoryItem returns the transaction as an item of the history.
func (t Transaction) HistoryItem() HistoryItem {
	return HistoryItem{ID: t.ID, TransactionID: t.ID, Code: t.Code, Type: PaymentItem, RawStatus: string(t.Status),
		SimpleStatus: t.SimpleStatus(), Amount: t.Amount, Refunded: t.Refunded, Payouts: t.Payouts,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, TransactionSummary: t.summary()}
}

// HistoryItem returns the event as an item of the history.
func (e Event) HistoryItem() HistoryItem {
	return HistoryItem{ID: e.ID, TransactionID: e.TransactionID, Code: e.Code, Type: e.Type, RawStatus: string(e.Status),
		Amount: e.Amount, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, TransactionSummary: e.TransactionSummary}
}

// truncateToMillis truncates a time to milliseconds, which is as precise as clients see it. So a time that a client
// sends back selects the same item.
func truncateToMillis(t time.Time) time.Time { return t.Truncate(time.Millisecond) }
