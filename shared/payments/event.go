package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// EventType of what happens to a transaction after its payment (contract §6.5).
type EventType string

// The types. PAYOUT events are a transaction's Payouts; the others are items.
const (
	PayoutEvent          EventType = "PAYOUT"
	RefundEvent          EventType = "REFUND"
	ChargebackEvent      EventType = "CHARGE_BACK"
	PayoutDeductionEvent EventType = "PAYOUT_DEDUCTION"

	// PaymentItem is the type of the transaction itself, in the history.
	PaymentItem EventType = "PAYMENT"
)

// EventStatus is the state of an event (contract §6.5).
type EventStatus string

// The statuses that clients know.
const (
	EventPending    EventStatus = "PENDING"
	EventScheduled  EventStatus = "SCHEDULED"
	EventReconciled EventStatus = "RECONCILED"
	EventPaidOut    EventStatus = "PAID_OUT"
	EventRefunded   EventStatus = "REFUNDED"
	EventSuccessful EventStatus = "SUCCESSFUL"
	EventFailed     EventStatus = "FAILED"
)

// The statuses of refunds that clients never see.
const (
	EventBegun     EventStatus = "BEGUN"     // about to be sent to the acquirer
	EventWithdrawn EventStatus = "WITHDRAWN" // the acquirer certainly did not take it: as if it had never been requested
)

// Event is a refund, a chargeback, or the deduction of one from later payouts. Its ID follows from its cause.
type Event struct {
	ID            string       `dynamo:"id"` // a refund's is the acquirer's idempotency key
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Shard         int          `dynamo:"shard,omitempty"` // the transaction's
	Type          EventType    `dynamo:"type"`
	Status        EventStatus  `dynamo:"status"`
	Amount        money.Amount `dynamo:"amount"`               // more than zero
	InReserve     bool         `dynamo:"in_reserve,omitempty"` // its amount is part of the reserve while it is open
	Sequence      int          `dynamo:"sequence,omitempty"`   // of a refund: RefundsBegun when it was begun last
	ReturnCode    string       `dynamo:"return_code,omitempty"`
	CreatedAt     time.Time    `dynamo:"created_at"` // when clients could first see it
	UpdatedAt     time.Time    `dynamo:"updated_at"`
	NextPoll      time.Time    `dynamo:"next_poll,omitempty"`     // when the acquirer is asked again
	UnknownSince  time.Time    `dynamo:"unknown_since,omitempty"` // while it is recorded that the acquirer gave no outcome
	TransactionSummary
}

// TransactionSummary is what a history item shows of its transaction.
type TransactionSummary struct {
	ClientTransactionID string              `dynamo:"client_transaction_id"`
	ProductSummary      string              `dynamo:"product_summary,omitempty"`
	Username            string              `dynamo:"username,omitempty"` // the transaction's
	Creator             string              `dynamo:"creator,omitempty"`  // likewise
	PaymentType         string              `dynamo:"payment_type"`
	EntryMode           string              `dynamo:"entry_mode"`
	Installments        int                 `dynamo:"installments_count"`
	Card                *CardSummary        `dynamo:"card,omitempty"`
	PayoutPlan          merchant.PayoutPlan `dynamo:"payout_plan"`
	Reader              string              `dynamo:"reader_serial,omitempty"`
	Location            *Location           `dynamo:"location,omitempty"`
}

func (t Transaction) summary() TransactionSummary {
	return TransactionSummary{ClientTransactionID: t.ClientTransactionID, ProductSummary: t.ProductSummary,
		Username: t.Username, Creator: t.Creator, PaymentType: t.PaymentType, EntryMode: t.EntryMode,
		Installments: t.Installments, Card: t.Card, PayoutPlan: t.PayoutPlan, Reader: t.Reader,
		Location: t.Location}
}

func (t Transaction) newEvent(id string, kind EventType, status EventStatus, amount money.Amount, now time.Time) Event {
	return Event{ID: id, TransactionID: t.ID, Code: t.Code, Shard: t.Shard, Type: kind, Status: status, Amount: amount,
		CreatedAt: shown(now), UpdatedAt: shown(now), TransactionSummary: t.summary()}
}

// NumericID is the event's id as clients know it, of 53 bits.
func (e Event) NumericID() int64 { return NumericID("event " + e.ID) }

// PayoutNumericID is the PAYOUT event's id as clients know it, of 53 bits.
func (t Transaction) PayoutNumericID(p PayoutPart) int64 {
	return NumericID("event " + t.payable(p).ID)
}

// Open reports whether a refund's outcome is not known yet.
func (e Event) Open() bool { return e.Status == EventBegun || e.Status == EventPending }

// Visible reports whether clients see the event.
func (e Event) Visible() bool { return e.Status != EventBegun && e.Status != EventWithdrawn }

// Listed reports whether the event is a history item of its own (contract §6.2).
func (e Event) Listed() bool {
	return e.Visible() && (e.Type == RefundEvent || e.Type == ChargebackEvent)
}

// Deducted is a deduction that a payout has settled.
func (e Event) Deducted(now time.Time) Event {
	e.Status, e.UpdatedAt = EventSuccessful, shown(now)
	return e
}

// DueAt is when the sweep must handle the event; the zero time means never.
func (e Event) DueAt() time.Time {
	if !e.Open() {
		return time.Time{}
	}
	return wakeAt(e.NextPoll, e.UnknownSince)
}

// PollAt is when a message starts a poll of a refund; the zero time means never.
func (e Event) PollAt() time.Time {
	if !e.Open() {
		return time.Time{}
	}
	return pollAt(e.NextPoll, e.UnknownSince)
}
