package transactions

import (
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// transactionEvent is an entry of transaction_events (contract §6.1).
type transactionEvent struct {
	ID          int64                `json:"id"`
	Type        payments.EventType   `json:"event_type"`
	Status      payments.EventStatus `json:"status"`
	Amount      money.Amount         `json:"amount"`
	DueDate     rest.Date            `json:"due_date,omitzero"` // payouts only
	Date        rest.Date            `json:"date,omitzero"`     // of a payout: the same
	Installment int                  `json:"installment_number,omitempty"`
	Timestamp   rest.Timestamp       `json:"timestamp"`
}

// event is an entry of events.
type event struct {
	ID                int64                `json:"id"`
	TransactionID     string               `json:"transaction_id"`
	Type              payments.EventType   `json:"type"`
	Status            payments.EventStatus `json:"status"`
	Amount            money.Amount         `json:"amount"`
	Timestamp         rest.Timestamp       `json:"timestamp"`
	FeeAmount         *money.Amount        `json:"fee_amount,omitempty"` // this and the rest: payouts only
	Installment       int                  `json:"installment_number,omitempty"`
	DeductedAmount    *money.Amount        `json:"deducted_amount,omitempty"`
	DeductedFeeAmount *money.Amount        `json:"deducted_fee_amount,omitempty"`
	ReceiptNo         string               `json:"receipt_no,omitempty"` // legacy only
}

// transactionEvents are the payouts, then what else happened, oldest first.
// Days are where the merchant is.
func transactionEvents(r store.Record, calendar merchant.Calendar) []transactionEvent {
	shown := make([]transactionEvent, 0, len(r.Payouts)+len(r.Events))
	for i, p := range r.Payouts {
		due := dueDate(p, calendar)
		shown = append(shown, transactionEvent{ID: r.PayoutNumericID(p), Type: payments.PayoutEvent, Status: p.Status,
			Amount: p.Net(), DueDate: due, Date: due, Installment: p.Number, Timestamp: rest.Timestamp(r.PlannedAt(i))})
	}
	for _, e := range r.Events {
		shown = append(shown, transactionEvent{ID: e.NumericID(), Type: e.Type, Status: e.Status, Amount: e.Amount,
			Date: rest.DateOf(e.CreatedAt.In(calendar.Where)), Timestamp: rest.Timestamp(e.CreatedAt)})
	}
	return shown
}

// events are the same in the other form. The fee stays ours when a payment is
// refunded (contract §6.7), so no share of it is ever deducted.
func events(r store.Record) []event {
	shown := make([]event, 0, len(r.Payouts)+len(r.Events))
	for i, p := range r.Payouts {
		none := money.Zero(p.Amount.Currency())
		shown = append(shown,
			event{ID: r.PayoutNumericID(p), TransactionID: r.ID, Type: payments.PayoutEvent, Status: p.Status,
				Amount: p.Net(), Timestamp: rest.Timestamp(r.PlannedAt(i)), FeeAmount: &p.Fee, Installment: p.Number,
				DeductedAmount: &p.Deducted, DeductedFeeAmount: &none})
	}
	for _, e := range r.Events {
		shown = append(shown, event{ID: e.NumericID(), TransactionID: r.ID, Type: e.Type, Status: e.Status,
			Amount: e.Amount, Timestamp: rest.Timestamp(e.CreatedAt)})
	}
	return shown
}
