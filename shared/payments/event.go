package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// EventType is the type of an event in a transaction's life after the payment (contract §6.5).
type EventType string

// The types. PAYOUT events are stored as a transaction's Payouts, and all other events as items.
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

// The statuses that clients never see. Only refunds have them.
const (
	EventBegun     EventStatus = "BEGUN"     // about to be sent to the acquirer
	EventWithdrawn EventStatus = "WITHDRAWN" // certainly not taken by the acquirer; counts as never requested
)

// Event is a refund, a chargeback, or the deduction of either from later payouts. Its ID follows from its cause.
type Event struct {
	ID            string       `dynamo:"id"` // for a refund, also the acquirer's idempotency key
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Shard         int          `dynamo:"shard,omitempty"` // the transaction's
	Type          EventType    `dynamo:"type"`
	Status        EventStatus  `dynamo:"status"`
	Amount        money.Amount `dynamo:"amount"`               // more than zero
	InReserve     bool         `dynamo:"in_reserve,omitempty"` // while the event is open, the reserve includes Amount
	Sequence      int          `dynamo:"sequence,omitempty"`   // of a refund: RefundsBegun when it last began
	ReturnCode    string       `dynamo:"return_code,omitempty"`
	CreatedAt     time.Time    `dynamo:"created_at"` // when clients could first see it
	UpdatedAt     time.Time    `dynamo:"updated_at"`
	ChangedAt     time.Time    `dynamo:"changed_at,omitempty"`    // as a transaction's
	NextPoll      time.Time    `dynamo:"next_poll,omitempty"`     // when the acquirer is asked again
	UnknownSince  time.Time    `dynamo:"unknown_since,omitempty"` // set while the outcome is recorded as unknown
	TransactionSummary
}

// TransactionSummary holds the facts of a transaction that its history items show.
type TransactionSummary struct {
	ClientTransactionID string              `dynamo:"client_transaction_id"`
	ProductSummary      string              `dynamo:"product_summary,omitempty"`
	Username            string              `dynamo:"username,omitempty"` // the transaction's
	Creator             string              `dynamo:"creator,omitempty"`  // the transaction's
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
		CreatedAt: truncateToMillis(now), UpdatedAt: truncateToMillis(now), TransactionSummary: t.summary()}
}

// NumericID returns the event's id of 53 bits, as clients know it.
func (e Event) NumericID() int64 { return NumericID("event " + e.ID) }

// PayoutNumericID returns the PAYOUT event's id of 53 bits, as clients know it.
func (t Transaction) PayoutNumericID(p PayoutPart) int64 {
	return NumericID("event " + t.payableOf(p).ID)
}

// Open returns true if a refund still waits for its outcome.
func (e Event) Open() bool { return e.Status == EventBegun || e.Status == EventPending }

// Visible returns true if clients see the event.
func (e Event) Visible() bool { return e.Status != EventBegun && e.Status != EventWithdrawn }

// Listed returns true if the history lists the event as an item (contract §6.2).
func (e Event) Listed() bool {
	return e.Visible() && (e.Type == RefundEvent || e.Type == ChargebackEvent)
}

func (e *Event) setChanged(now time.Time) { setChanged(e.CreatedAt, &e.UpdatedAt, &e.ChangedAt, now) }

// Deducted returns the deduction after a payout has settled it.
func (e Event) Deducted(now time.Time) Event {
	e.Status, e.UpdatedAt = EventSuccessful, truncateToMillis(now)
	return e
}

// DueAt returns the time for the sweep to handle the event; the zero time means never.
func (e Event) DueAt() time.Time {
	if !e.Open() {
		return time.Time{}
	}
	return sweepAt(e.NextPoll, e.UnknownSince)
}

// PollAt returns the time for a message to start a poll of a refund; the zero time means never.
func (e Event) PollAt() time.Time {
	if !e.Open() {
		return time.Time{}
	}
	return pollAt(e.NextPoll, e.UnknownSince)
}
