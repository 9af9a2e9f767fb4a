package payments

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// TransactionStatus as clients know it (contract §2.7, §6.5).
type TransactionStatus string

// The statuses; all but TransactionPending are final.
const (
	Successful          TransactionStatus = "SUCCESSFUL"
	TransactionFailed   TransactionStatus = "FAILED"
	TransactionPending  TransactionStatus = "PENDING"
	TransactionCanceled TransactionStatus = "CANCELLED"
)

// CheckoutTransaction is a transaction as its checkout shows it.
type CheckoutTransaction struct {
	ID           string            `dynamo:"id"` // the attempt's id, and the acquirer's idempotency key
	Code         string            `dynamo:"transaction_code"`
	Amount       money.Amount      `dynamo:"amount"`
	Status       TransactionStatus `dynamo:"status"`
	PaymentType  string            `dynamo:"payment_type"`
	EntryMode    string            `dynamo:"entry_mode"`
	Installments int               `dynamo:"installments_count"`
	MerchantCode string            `dynamo:"merchant_code"`
	AuthCode     string            `dynamo:"auth_code,omitempty"`
	CreatedAt    time.Time         `dynamo:"created_at"`
}

// InternalID is the numeric id some clients know, of 53 bits so that every
// client's number type holds it exactly.
func (t CheckoutTransaction) InternalID() int64 {
	sum := sha256.Sum256([]byte(t.ID))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 11)
}

// Transaction is the record of one attempt, kept for good.
type Transaction struct {
	CheckoutTransaction
	CheckoutID          string       `dynamo:"checkout_id"`
	ClientTransactionID string       `dynamo:"client_transaction_id"`
	ForeignID           string       `dynamo:"foreign_transaction_id,omitempty"`
	ProductSummary      string       `dynamo:"product_summary,omitempty"`
	Username            string       `dynamo:"username,omitempty"` // the merchant user that is paid
	CustomerID          string       `dynamo:"customer_id,omitempty"`
	InstrumentToken     string       `dynamo:"instrument_token,omitempty"`
	Card                *CardSummary `dynamo:"card,omitempty"`
	Captured            money.Amount `dynamo:"captured"`   // zero unless SUCCESSFUL, and for verifications
	Refundable          money.Amount `dynamo:"refundable"` // what is left to refund: conditions cannot subtract
	TerminalID          string       `dynamo:"tid,omitempty"`
	ReturnCode          string       `dynamo:"return_code,omitempty"`
	UpdatedAt           time.Time    `dynamo:"updated_at"`
}

const base36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// transactionCode is "T" and nine capitals or digits (contract §6.1), derived
// from the id so that every retry of an attempt bears the same code.
func transactionCode(id string) string {
	sum := sha256.Sum256([]byte("transaction code " + id))
	n := new(big.Int).SetBytes(sum[:16])
	code := []byte("T000000000")
	base, digit := big.NewInt(36), new(big.Int)
	for i := len(code) - 1; i > 0; i-- {
		n.DivMod(n, base, digit)
		code[i] = base36[digit.Int64()]
	}
	return string(code)
}
