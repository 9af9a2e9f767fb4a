// Package bank is the port to the bank that pays merchants. A Bank takes transfers. Each transfer is idempotent by our
// id. The bank first accepts a transfer, and later reports that the transfer was paid or came back.
package bank

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Transfer is a credit transfer to a merchant.
type Transfer struct {
	// ID is the payout's id and the idempotency key. For a known id the bank returns the outcome.
	ID     string               `dynamo:"id"`
	Tenant string               `dynamo:"tenant"` // tenant of the payout
	Amount money.Amount         `dynamo:"amount"`
	To     merchant.BankAccount `dynamo:"to_account"`
	// Reference is shown on the merchant's statement. It has at most 35 characters of the SEPA set.
	Reference string `dynamo:"reference,omitempty"`
}

// Verification asks the bank about an account of a merchant (contract §7.3).
type Verification struct {
	Tenant  string               `dynamo:"tenant"`
	Account merchant.BankAccount `dynamo:"account"`
}

// State is the state of a transfer.
type State string

// The states.
const (
	Accepted State = "accepted" // the outcome is pending
	Paid     State = "paid"     // final
	Rejected State = "rejected" // final: not executed, or returned by the merchant's bank
)

// Outcome is the bank's answer about a transfer.
type Outcome struct {
	State  State
	Reason string // reason of a rejection: ISO 20022 ExternalStatusReason1Code, e.g. AC04
}

// Cancelled is the outcome of a transfer that was cancelled before the bank took it: ISO 20022 OrderCancelled.
var Cancelled = Outcome{State: Rejected, Reason: "DS02"}

var (
	// ErrNotTaken reports that the bank certainly did not take a transfer. After other errors the outcome is unknown.
	ErrNotTaken = errors.New("bank: the transfer was not taken")

	// ErrUnknownTransfer reports an id that the bank has never seen.
	ErrUnknownTransfer = errors.New("bank: unknown transfer")
)

// Bank pays merchants and verifies their accounts. Package sandbox implements it for test mode, and package file for
// banks that operators send files to.
type Bank interface {
	// Transfer requests a transfer. For a known id it returns the outcome. Transfer may be repeated. Errors: ErrNotTaken;
	// after any other error the outcome is unknown.
	Transfer(ctx context.Context, t Transfer) (Outcome, error)
	// Cancel prevents the transfer and returns Cancelled. If the bank has taken the transfer, Cancel returns the
	// transfer's outcome instead. After Cancel with an unknown id, Transfer with that id returns Cancelled. Cancel may be
	// repeated. After an error the outcome is unknown.
	Cancel(ctx context.Context, id string) (Outcome, error)
	// Verify asks whether the account belongs to its holder. The answer is Verified or Rejected, which are both final, or
	// Pending. The first call for an account requests the verification, with the account's id as idempotency key. Verify
	// may be repeated.
	Verify(ctx context.Context, v Verification) (merchant.BankAccountStatus, error)
	// Statement walks the lines that the bank booked at the time since or later, in no particular order, for
	// reconciliation. For the zero time it walks all of them. It may also yield earlier lines.
	Statement(ctx context.Context, since time.Time) iter.Seq2[StatementLine, error]
}

// StatementLine is one line of the bank's statement: a payment, or the return of a payment.
type StatementLine struct {
	LineID string // the bank's own id of the line, the same at each reading; a transfer paid twice has two lines
	ID     string // id of the transfer
	Tenant string
	Amount money.Amount // greater than zero
	Return bool         // the payment came back
	At     time.Time
}
