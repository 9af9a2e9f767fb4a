// Package bank is the port to whoever carries money to merchants' accounts.
// A transfer is idempotent by our own id, and its outcome comes later: a bank
// takes an order first, and says afterwards that it was paid or returned.
package bank

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Transfer orders one payment to a merchant.
type Transfer struct {
	ID        string // the payout's, and the idempotency key: a bank that knows it answers what became of it
	Tenant    string // whose payout it is
	Amount    money.Amount
	To        merchant.BankAccount
	Reference string // what the merchant's statement shows, at most 35 characters of the SEPA set
}

// State of a transfer.
type State string

// The states.
const (
	Accepted State = "accepted" // taken; the outcome is to come
	Paid     State = "paid"     // final
	Rejected State = "rejected" // final: not executed, or returned by the merchant's bank
)

// Outcome is what the bank says of a transfer.
type Outcome struct {
	State  State
	Reason string // of a rejection: ISO 20022 ExternalStatusReason1Code, e.g. AC04
}

// Cancelled is what became of a transfer that was cancelled before the bank
// took it: ISO 20022 OrderCancelled.
var Cancelled = Outcome{State: Rejected, Reason: "DS02"}

var (
	// ErrNotTaken reports that the bank certainly did not take this request.
	// After any other error the outcome is unknown.
	ErrNotTaken = errors.New("bank: the request was not taken")

	// ErrUnknownTransfer reports an id the bank has never seen.
	ErrUnknownTransfer = errors.New("bank: unknown transfer")
)

// Bank carries money. sandbox is test mode's; file writes orders for a bank
// that takes files.
type Bank interface {
	// Transfer takes the order, or answers what became of it. Errors:
	// ErrNotTaken, or an unknown outcome; asking again is always safe.
	Transfer(ctx context.Context, t Transfer) (Outcome, error)
	// Cancel makes sure the transfer will never be made, unless the bank has
	// taken it: it answers Cancelled, or what became of it. An id never seen is
	// refused from now on: Transfer answers Cancelled. Without an answer the
	// outcome is unknown; asking again is always safe.
	Cancel(ctx context.Context, id string) (Outcome, error)
	// Statement walks every executed transfer on the bank's books, for
	// reconciliation.
	Statement(ctx context.Context) iter.Seq2[StatementLine, error]
}

// StatementLine is one line of the bank's statement: a payment, or its return.
type StatementLine struct {
	ID     string // of the transfer
	Tenant string
	Amount money.Amount // more than zero
	Return bool         // it came back
	At     time.Time
}
