// Package sandbox is the bank of test mode. It plays another party: it keeps
// books of its own, under keys of its own, knows the platform only by the
// port, and remembers every transfer across restarts. What becomes of a
// transfer is decided by the account it goes to (accounts.go).
//
// No account number enters its books: a transfer is remembered by its outcome.
package sandbox

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Bank is the sandbox. It is safe for concurrent use.
type Bank struct{ books books }

var _ bank.Bank = (*Bank)(nil)

// Config is what the sandbox works with.
type Config = table.Books

// New returns the sandbox; it makes no call.
func New(c Config) *Bank { return &Bank{books{c}} }

// errNoAnswer is what the platform sees of a transfer to 3333: it was
// executed, but the answer did not arrive.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Transfer takes the order, or answers what became of the one of that id,
// whatever else is asked. Errors: ErrNotTaken, or an unknown outcome.
func (b *Bank) Transfer(ctx context.Context, order bank.Transfer) (bank.Outcome, error) {
	planned, err := b.plan(order)
	if err != nil {
		return b.unlessKnown(ctx, order.ID, err)
	}
	t, isNew, err := b.books.open(ctx, planned)
	switch {
	case err != nil:
		return bank.Outcome{}, err
	case isNew && t.Silent:
		return bank.Outcome{}, errNoAnswer
	default:
		return b.upToDate(ctx, t)
	}
}

// Cancel refuses an id never seen from now on; a transfer that was taken goes
// its way. After an error, asking again is safe.
func (b *Bank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	t, _, err := b.books.open(ctx, tombstone(id, b.books.Time()))
	if err != nil {
		return bank.Outcome{}, err
	}
	return b.upToDate(ctx, t)
}

// unlessKnown refuses an order, but one that was taken before (or cancelled
// ahead of its arrival) is answered for all the same.
func (b *Bank) unlessKnown(ctx context.Context, id string, refusal error) (bank.Outcome, error) {
	t, err := b.books.read(ctx, id)
	switch {
	case errors.Is(err, bank.ErrUnknownTransfer):
		return bank.Outcome{}, refusal
	case err != nil:
		return bank.Outcome{}, err
	default:
		return b.upToDate(ctx, t.transfer)
	}
}

// upToDate decides a transfer whose time has come.
func (b *Bank) upToDate(ctx context.Context, t transfer) (bank.Outcome, error) {
	if now := t.at(b.books.Time()); now.State != t.State {
		decided, err := b.books.decide(ctx, now)
		if err != nil {
			return bank.Outcome{}, err
		}
		t = decided
	}
	return bank.Outcome{State: t.State, Reason: t.Reason}, nil
}
