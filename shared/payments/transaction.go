package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TransactionStatus is the status that clients see (contract §2.7, §6.5).
type TransactionStatus string

// The statuses. All but TransactionPending are final.
const (
	TransactionSuccessful TransactionStatus = "SUCCESSFUL"
	TransactionPending    TransactionStatus = "PENDING"
	TransactionCancelled  TransactionStatus = "CANCELLED"
	TransactionFailed     TransactionStatus = "FAILED"
)

// CheckoutTransaction is a transaction as its checkout shows it.
type CheckoutTransaction struct {
	ID           string            `dynamo:"id"` // the attempt's id, and the acquirer's idempotency key
	Code         string            `dynamo:"-"`  // CodeOfID of the ID
	Amount       money.Amount      `dynamo:"amount"`
	Status       TransactionStatus `dynamo:"status"`
	PaymentType  string            `dynamo:"payment_type"`
	EntryMode    string            `dynamo:"entry_mode"`
	Installments int               `dynamo:"installments_count"`
	MerchantCode string            `dynamo:"-"` // from the item's key
	AuthCode     string            `dynamo:"auth_code,omitempty"`
	CreatedAt    time.Time         `dynamo:"created_at"`
}

// Transaction is the record of one attempt, kept for good.
type Transaction struct {
	CheckoutTransaction
	CheckoutID          string              `dynamo:"checkout_id"`
	Shard               int                 `dynamo:"shard,omitempty"` // the checkout's
	ClientTransactionID string              `dynamo:"-"`               // follows from the ID
	ForeignID           string              `dynamo:"foreign_transaction_id,omitempty"`
	ProductSummary      string              `dynamo:"product_summary,omitempty"`
	Username            string              `dynamo:"username,omitempty"` // of the checkout's creator, else of the owner
	Creator             string              `dynamo:"creator,omitempty"`  // id of the member who created the checkout
	CustomerID          string              `dynamo:"customer_id,omitempty"`
	InstrumentToken     string              `dynamo:"instrument_token,omitempty"`
	Card                *CardSummary        `dynamo:"card,omitempty"`
	Captured            money.Amount        `dynamo:"captured"`           // zero unless SUCCESSFUL
	Refundable          money.Amount        `dynamo:"refundable"`         // what is left to refund or charge back
	Refunded            money.Amount        `dynamo:"refunded,omitempty"` // sent back by refunds
	ChargedBack         money.Amount        `dynamo:"charged_back,omitempty"`
	NonCollection       bool                `dynamo:"non_collection,omitempty"` // the merchant could not pay a chargeback
	LastRefund          EventStatus         `dynamo:"last_refund,omitempty"`    // of the latest refund: REFUNDED or FAILED
	Fee                 money.Amount        `dynamo:"fee"`
	PayoutPlan          merchant.PayoutPlan `dynamo:"payout_plan"`
	Gross               bool                `dynamo:"gross,omitempty"` // gross settlement: the fee is billed
	TaxEnabled          bool                `dynamo:"tax_enabled,omitempty"`
	AdvancedMode        bool                `dynamo:"advanced_mode,omitempty"`
	Payouts             []PayoutPart        `dynamo:"payouts,omitempty"`
	EventCount          int                 `dynamo:"event_count,omitempty"`   // refunds and chargebacks
	RefundsBegun        int                 `dynamo:"refunds_begun,omitempty"` // a refund that is begun again counts again
	Reader              string              `dynamo:"reader_serial,omitempty"` // serial number; "" online
	ReaderModel         string              `dynamo:"reader_model,omitempty"`
	CardType            string              `dynamo:"card_type,omitempty"`    // requested at the reader: credit, debit
	Verification        Verification        `dynamo:"verification,omitempty"` // at a reader
	Tip                 money.Amount        `dynamo:"tip,omitempty"`          // part of Amount
	EMV                 EMV                 `dynamo:"emv,omitempty"`
	Location            *Location           `dynamo:"location,omitempty"` // of the reader
	TerminalID          string              `dynamo:"tid,omitempty"`
	ReturnCode          string              `dynamo:"return_code,omitempty"`
	ThreeDS             ThreeDS             `dynamo:"eci,omitempty"`
	UpdatedAt           time.Time           `dynamo:"updated_at"`
	ChangedAt           time.Time           `dynamo:"changed_at,omitempty"` // last change by anything but a payout
	Version             int                 `dynamo:"version"`              // of the stored item, from 1
}

// Restored returns the transaction as it was before it was stored. It adds the facts that are in the key, and the zero
// amounts that were left out.
func (t Transaction) Restored(merchantCode, code, id string) Transaction {
	t.MerchantCode, t.Code, t.ID, t.ClientTransactionID = merchantCode, code, id, ClientTransactionID(id)
	none := money.Zero(t.Amount.Currency())
	restore := func(amount *money.Amount) {
		if amount.Currency() == "" {
			*amount = none
		}
	}
	restore(&t.Refunded)
	restore(&t.ChargedBack)
	restore(&t.Tip)
	for i := range t.Payouts {
		restore(&t.Payouts[i].Deducted)
	}
	return t
}

// setChanged sets the time of a change that no payout made. At the creation ChangedAt stays zero, because the history
// has that time already.
func setChanged(createdAt time.Time, updatedAt, changedAt *time.Time, now time.Time) {
	*updatedAt = truncateToMillis(now)
	if !updatedAt.Equal(createdAt) {
		*changedAt = *updatedAt
	}
}

func (t *Transaction) setChanged(now time.Time) {
	setChanged(t.CreatedAt, &t.UpdatedAt, &t.ChangedAt, now)
}

// SimpleStatus sums up a transaction and its events (contract §6.5).
type SimpleStatus string

// The simple statuses.
const (
	SimpleSuccessful    SimpleStatus = "SUCCESSFUL"
	SimpleFailed        SimpleStatus = "FAILED"
	SimplePaidOut       SimpleStatus = "PAID_OUT"
	SimpleCancelled     SimpleStatus = "CANCELLED"
	SimpleChargeback    SimpleStatus = "CHARGEBACK"
	SimpleRefundFailed  SimpleStatus = "REFUND_FAILED"
	SimpleRefunded      SimpleStatus = "REFUNDED"
	SimpleNonCollection SimpleStatus = "NON_COLLECTION"
)

// SimpleStatus returns the first status that holds, in the order of contract §6.5; "" while PENDING. CANCEL_FAILED
// never holds: an acquirer that refuses a cancellation has charged, so the payment is SUCCESSFUL.
func (t Transaction) SimpleStatus() SimpleStatus {
	switch {
	case t.Status == TransactionPending:
		return ""
	case t.Status == TransactionFailed:
		return SimpleFailed
	case t.Status == TransactionCancelled:
		return SimpleCancelled
	case t.NonCollection:
		return SimpleNonCollection
	case t.ChargedBack.Sign() > 0:
		return SimpleChargeback
	case t.Refunded.Sign() > 0:
		return SimpleRefunded
	case t.LastRefund == EventFailed:
		return SimpleRefundFailed
	case t.isPaidOut():
		return SimplePaidOut
	default:
		return SimpleSuccessful
	}
}

// OnlyChecked returns true if the payment checked a card and took nothing (contract §4.6).
func (t Transaction) OnlyChecked() bool {
	return t.Status == TransactionSuccessful && t.Reader == "" && t.Captured.IsZero()
}

// PayoutsReceived counts the payouts already made.
func (t Transaction) PayoutsReceived() int {
	n := 0
	for _, p := range t.Payouts {
		if p.Status == EventPaidOut {
			n++
		}
	}
	return n
}

func (t Transaction) isPaidOut() bool {
	total := t.PayoutsTotal()
	return total > 0 && t.PayoutsReceived() == total
}
