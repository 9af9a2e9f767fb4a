// Package sandbox is the bank of test mode. It is independent of the platform, which knows it only through the port: it
// keeps its own items, and every transfer survives a restart. Accounts decide outcomes (accounts.go).
//
// It stores no account number, only the outcome.
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

// Config is what the sandbox works with.
type Config = table.Client

// New returns the sandbox; it makes no call.
func New(c Config) *Bank { return &Bank{records{c}} }

// errNoAnswer is the platform's error for a transfer to 3333: it was paid, but the answer is lost.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Transfer accepts a transfer, or returns the outcome of the one with that id,
// whatever else the request says. Errors: ErrNotTaken, or an unknown outcome.
func (b *Bank) Transfer(ctx context.Context, request bank.Transfer) (bank.Outcome, error) {
	decided, err := b.decide(request)
	if err != nil {
		return b.ofInvalid(ctx, request.ID, err)
	}
	t, isNew, err := b.records.open(ctx, decided)
	switch {
	case err != nil:
		return bank.Outcome{}, err
	case isNew && t.LostAnswer:
		return bank.Outcome{}, errNoAnswer
	default:
		return b.upToDate(ctx, t)
	}
}

// Cancel cancels an unknown id from now on; an accepted transfer can no longer be
// cancelled. After an error it is safe to call it again.
func (b *Bank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	t, _, err := b.records.open(ctx, tombstone(id, b.records.Time()))
	if err != nil {
		return bank.Outcome{}, err
	}
	return b.upToDate(ctx, t)
}

// ofInvalid refuses a request, unless a transfer with its id was accepted or
// cancelled before: then it returns that one's outcome.
func (b *Bank) ofInvalid(ctx context.Context, id string, refusal error) (bank.Outcome, error) {
	t, err := b.records.read(ctx, id)
	switch {
	case errors.Is(err, bank.ErrUnknownTransfer):
		return bank.Outcome{}, refusal
	case err != nil:
		return bank.Outcome{}, err
	default:
		return b.upToDate(ctx, t.transfer)
	}
}

// upToDate settles a transfer whose time has come, and returns its outcome.
func (b *Bank) upToDate(ctx context.Context, t transfer) (bank.Outcome, error) {
	if now := t.at(b.records.Time()); now.State != t.State {
		decided, err := b.records.settle(ctx, now)
		if err != nil {
			return bank.Outcome{}, err
		}
		t = decided
	}
	return bank.Outcome{State: t.State, Reason: t.Reason}, nil
}
