package transactions

import (
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// historyView is a page of the history, in both versions.
type historyView struct {
	Items []historyItem `json:"items"`
	Links []historyLink `json:"links"` // none on the last page
}

// historyLink leads on; Href is a bare query string (contract §2.6).
type historyLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
	Type string `json:"type"`
}

// historyItem is an item of contract §6.2. Legacy clients ignore the fields
// that they do not know (contract §2.3).
type historyItem struct {
	ID                  string                     `json:"id"`
	TransactionID       string                     `json:"transaction_id"`
	ClientTransactionID string                     `json:"client_transaction_id"`
	Code                string                     `json:"transaction_code"`
	User                string                     `json:"user"`
	Type                payments.EventType         `json:"type"`
	Status              payments.TransactionStatus `json:"status"`
	Timestamp           rest.Timestamp             `json:"timestamp"`
	Currency            money.Currency             `json:"currency"`
	Amount              money.Amount               `json:"amount"`
	RefundedAmount      *money.Amount              `json:"refunded_amount,omitempty"` // payments only
	ProductSummary      string                     `json:"product_summary,omitempty"`
	Installments        int                        `json:"installments_count"`
	PaymentType         string                     `json:"payment_type"`
	EntryMode           string                     `json:"entry_mode,omitempty"`
	CardType            string                     `json:"card_type,omitempty"`
	PayoutsTotal        int                        `json:"payouts_total"`
	PayoutsReceived     int                        `json:"payouts_received"`
	PayoutPlan          merchant.PayoutPlan        `json:"payout_plan"`
	PayoutDate          rest.Date                  `json:"payout_date,omitzero"`
	PayoutType          string                     `json:"payout_type,omitempty"`
}

// newHistoryItem shows an item to a merchant.
func newHistoryItem(h payments.HistoryItem, calendar merchant.Calendar) historyItem {
	v := historyItem{
		ID: h.ID, TransactionID: h.TransactionID, ClientTransactionID: h.ClientTransactionID, Code: h.Code,
		User: h.Username, Type: h.Type, Status: h.Status(), Timestamp: rest.Timestamp(h.CreatedAt),
		Currency: h.Amount.Currency(), Amount: h.Amount, ProductSummary: h.ProductSummary, Installments: h.Installments,
		PaymentType: h.PaymentType, EntryMode: h.EntryMode, PayoutsTotal: h.PayoutsTotal(),
		PayoutsReceived: h.PayoutsReceived(), PayoutPlan: h.PayoutPlan,
	}
	if h.Type == payments.PaymentItem {
		v.RefundedAmount = &h.Refunded
	}
	if h.Card != nil {
		v.CardType = h.Card.Brand
	}
	v.PayoutType, v.PayoutDate = paysOut(h.Payouts, v.PayoutsTotal, calendar)
	return v
}
