// Package sandbox is the bank of test mode. Call New to get it. The bank keeps its own items, and every transfer
// survives a restart. The bank is independent of the platform, which knows the bank only through the port. The account
// of a transfer decides the transfer's outcome (accounts.go). The bank stores no account number, only the outcome.
package sandbox

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Bank is the sandbox. It is safe for concurrent use.
type Bank struct{ records records }

var _ bank.Bank = (*Bank)(nil)

// Config configures the sandbox.
type Config = table.Client

// New returns the sandbox; it makes no call.
func New(c Config) *Bank { return &Bank{records{c}} }

// errNoAnswer is the error that the platform gets for a transfer to 3333. The transfer was paid, but the answer is
// lost.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Transfer accepts a transfer. For a known id it returns that transfer's outcome, regardless of the rest of the
// request. Errors: ErrNotTaken; after any other error the outcome is unknown.
func (b *Bank) Transfer(ctx context.Context, request bank.Transfer) (bank.Outcome, error) {
	decided, err := b.planTransfer(request)
	if err != nil {
		return b.answerInvalid(ctx, request.ID, err)
	}
	t, isNew, err := b.records.create(ctx, decided)
	switch {
	case err != nil:
		return bank.Outcome{}, err
	case isNew && t.LostAnswer:
		return bank.Outcome{}, errNoAnswer
	default:
		return b.settleIfDue(ctx, t)
	}
}

// Cancel stores a tombstone for an unknown id, so that a later transfer with that id is cancelled. An accepted transfer
// can no longer be cancelled. Cancel may be repeated after an error.
func (b *Bank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	t, _, err := b.records.create(ctx, newTombstone(id, b.records.Time()))
	if err != nil {
		return bank.Outcome{}, err
	}
	return b.settleIfDue(ctx, t)
}

// answerInvalid refuses a request. If a transfer with the same id was accepted or cancelled before, it returns that
// transfer's outcome instead.
func (b *Bank) answerInvalid(ctx context.Context, id string, refusal error) (bank.Outcome, error) {
	t, err := b.records.read(ctx, id)
	switch {
	case errors.Is(err, bank.ErrUnknownTransfer):
		return bank.Outcome{}, refusal
	case err != nil:
		return bank.Outcome{}, err
	default:
		return b.settleIfDue(ctx, t.transfer)
	}
}

// settleIfDue settles a transfer whose time has come, and returns its outcome.
func (b *Bank) settleIfDue(ctx context.Context, t transfer) (bank.Outcome, error) {
	if now := t.asOf(b.records.Time()); now.State != t.State {
		decided, err := b.records.settle(ctx, now)
		if err != nil {
			return bank.Outcome{}, err
		}
		t = decided
	}
	return bank.Outcome{State: t.State, Reason: t.Reason}, nil
}
