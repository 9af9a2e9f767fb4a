package world

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/bank"
)

// wrapBank puts the steps before a bank.
func (s *Steps) wrapBank(b bank.Bank) bank.Bank { return faultyBank{b, s} }

// faultyBank is a bank behind a network: each call is a step.
type faultyBank struct {
	bank.Bank
	steps *Steps
}

// Transfer is one step.
func (f faultyBank) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	return step(f.steps, "Transfer", bank.ErrNotTaken, func() (bank.Outcome, error) { return f.Bank.Transfer(ctx, t) })
}

// Cancel is one step.
func (f faultyBank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	return step(f.steps, "CancelTransfer", bank.ErrNotTaken, func() (bank.Outcome, error) { return f.Bank.Cancel(ctx, id) })
}

// Statement is one step.
func (f faultyBank) Statement(ctx context.Context) iter.Seq2[bank.Booking, error] {
	return statement(f.steps, bank.ErrNotTaken, f.Bank.Statement(ctx))
}
