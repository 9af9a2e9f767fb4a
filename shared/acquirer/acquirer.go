// Package acquirer is the port to the acquirers that charge cards and other payment instruments. Every call is
// idempotent by our id, so after a crash or a lost reply it is repeated without charging again.
package acquirer

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Charge requests one payment. ID is the idempotency key: for a known ID the
// acquirer returns the outcome of that charge and ignores the other fields.
type Charge struct {
	ID           string
	Reference    Reference // ours, returned in the acquirer's notifications
	Amount       money.Amount
	Method       payments.Method
	Installments int
	Present      *payments.CardPresent     // of a charge by a terminal
	Summary      *payments.CardSummary     // with AtReader: the card that the terminal has read
	Card         *payments.Card            // with CardMethod: this, or
	Token        string                    // the acquirer's token of a stored card
	Store        bool                      // store the card and return its token
	Unattended   bool                      // under a mandate, without the payer: never challenge
	Verification bool                      // authorize and release, never capture
	Payer        *payments.PersonalDetails // for methods that need them
	Descriptor   string                    // shown on the payer's statement
	ReturnURL    string                    // where a method's page redirects the payer afterwards
}

// Reference identifies what a charge pays.
type Reference struct {
	Tenant     string
	CheckoutID string
}

// ErrNotTaken reports that the acquirer certainly did not take this request, and will charge or refund nothing. After
// any other error the outcome is unknown.
var ErrNotTaken = errors.New("acquirer: the request was not taken")

// ErrUnknownCharge reports an id the acquirer has never seen.
var ErrUnknownCharge = errors.New("acquirer: unknown charge")

// ErrBadAnswer reports a payer's answer (PaRes) that the issuer did not make.
var ErrBadAnswer = errors.New("acquirer: the authentication answer is not valid")

// Acquirer charges payers and refunds them. Package sandbox is the built-in one; live mode needs another.
type Acquirer interface {
	// Summary returns the fields of a card that may be kept once it was charged here: a sandbox's merchants try real
	// cards, whose expiry is not kept (contract §8.4). It makes no call.
	Summary(c *payments.Card) payments.CardSummary
	// Charge takes the charge, or returns its outcome. Errors: ErrNotTaken, or an unknown outcome.
	Charge(ctx context.Context, c Charge) (payments.Outcome, error)
	// LookUp returns the charge's outcome. Errors: ErrUnknownCharge.
	LookUp(ctx context.Context, id string) (payments.Outcome, error)
	// Complete takes the payer's answer to a challenge. Errors: ErrUnknownCharge, ErrBadAnswer.
	Complete(ctx context.Context, id, answer string) (payments.Outcome, error)
	// Cancel makes sure that the charge will never succeed, and returns Cancelled, or else the final outcome, or
	// OutcomeUnknown while it is pending. A later charge with an unknown id is refused.
	Cancel(ctx context.Context, id string) (payments.Outcome, error)
	// Refund returns money of an approved charge, or returns that refund's outcome: Approved, Declined, OutcomeUnknown,
	// or Cancelled by CancelRefund. It may be repeated. Errors: ErrNotTaken, or an unknown outcome.
	Refund(ctx context.Context, r Refund) (payments.Outcome, error)
	// CancelRefund makes sure that the refund will never be made, and returns Cancelled, or else the final outcome, or
	// OutcomeUnknown while it is pending. A later refund with an unknown id is refused: Cancelled or Declined.
	CancelRefund(ctx context.Context, id string) (payments.Outcome, error)
	// DeleteCard deletes a stored card. The token may be unknown.
	DeleteCard(ctx context.Context, token string) error
	// Statement walks every movement of money at the acquirer, in no particular order, for reconciliation.
	Statement(ctx context.Context) iter.Seq2[Movement, error]
}

// Refund is a request to return money. ID is the idempotency key, as a Charge's.
type Refund struct {
	ID       string
	ChargeID string
	Amount   money.Amount // more than zero
}

// Kind of a movement of money.
type Kind string

// The kinds.
const (
	CaptureMovement    Kind = "capture"    // from a payer
	RefundMovement     Kind = "refund"     // back to a payer
	ChargebackMovement Kind = "chargeback" // back to a payer, by the issuer
)

// Movement is one line of the acquirer's statement.
type Movement struct {
	ID       string // ours: of the charge or refund; a chargeback's is the acquirer's
	ChargeID string
	Tenant   string // of the charge's Reference
	Kind     Kind
	Amount   money.Amount // more than zero
	At       time.Time
}

// None is the acquirer of a deployment without one: live payments answer 424 (contract §12).
type None struct{}

// Summary keeps all that a summary has.
func (None) Summary(c *payments.Card) payments.CardSummary { return c.Summary() }

// Charge takes nothing.
func (None) Charge(context.Context, Charge) (payments.Outcome, error) {
	return payments.Outcome{}, ErrNotTaken
}

// LookUp knows nothing.
func (None) LookUp(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{}, ErrUnknownCharge
}

// Complete knows nothing.
func (None) Complete(context.Context, string, string) (payments.Outcome, error) {
	return payments.Outcome{}, ErrUnknownCharge
}

// Cancel has nothing that could succeed.
func (None) Cancel(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{Decision: payments.Cancelled}, nil
}

// Refund takes nothing.
func (None) Refund(context.Context, Refund) (payments.Outcome, error) {
	return payments.Outcome{}, ErrNotTaken
}

// CancelRefund has nothing that could be made.
func (None) CancelRefund(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{Decision: payments.Cancelled}, nil
}

// DeleteCard has no card to delete.
func (None) DeleteCard(context.Context, string) error { return nil }

// Statement is empty.
func (None) Statement(context.Context) iter.Seq2[Movement, error] {
	return func(func(Movement, error) bool) {}
}
