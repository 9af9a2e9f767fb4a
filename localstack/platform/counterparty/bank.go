package counterparty

import (
	"context"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Bank returns a bank that calls b over the network n.
func Bank(n Network, b bank.Bank) bank.Bank { return farBank{b, line{n, bank.ErrNotTaken}} }

type farBank struct {
	bank.Bank
	line line
}

func (f farBank) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	return carry(ctx, f.line, "Transfer", t.ID+" "+t.Amount.String(), state, f.Bank.Transfer, t)
}

// Cancel carries the call under the name CancelTransfer.
func (f farBank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	return carry(ctx, f.line, "CancelTransfer", id, state, f.Bank.Cancel, id)
}

func (f farBank) Verify(ctx context.Context, v bank.Verification) (merchant.BankAccountStatus, error) {
	return carry(ctx, f.line, "Verify", v.Account.ID,
		func(verdict merchant.BankAccountStatus) string { return string(verdict) }, f.Bank.Verify, v)
}

// Statement carries the whole statement as one call.
func (f farBank) Statement(ctx context.Context, since time.Time) iter.Seq2[bank.StatementLine, error] {
	return carryAll(ctx, f.line, "Statement", since, f.Bank.Statement)
}

func state(o bank.Outcome) string { return string(o.State) }
