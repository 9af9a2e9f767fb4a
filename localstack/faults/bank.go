package faults

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Bank puts a network before a bank.
func Bank(n Network, b bank.Bank) bank.Bank { return farBank{b, n} }

// farBank is a bank behind a network.
type farBank struct {
	bank.Bank
	network Network
}

// Transfer is one call.
func (f farBank) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	return f.ask(ctx, "Transfer", t.ID+" "+t.Amount.String(), func(ctx context.Context) (bank.Outcome, error) {
		return f.Bank.Transfer(ctx, t)
	})
}

// Cancel is one call, CancelTransfer.
func (f farBank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	return f.ask(ctx, "CancelTransfer", id, func(ctx context.Context) (bank.Outcome, error) {
		return f.Bank.Cancel(ctx, id)
	})
}

// Verify is one call.
func (f farBank) Verify(ctx context.Context, v bank.Verification) (merchant.BankAccountStatus, error) {
	return carry(ctx, f.network, Call{Name: "Verify", About: v.Account.ID, NotTaken: bank.ErrNotTaken},
		func(verdict merchant.BankAccountStatus) string { return string(verdict) },
		func(ctx context.Context) (merchant.BankAccountStatus, error) { return f.Bank.Verify(ctx, v) })
}

// Statement is one call as a whole.
func (f farBank) Statement(ctx context.Context) iter.Seq2[bank.StatementLine, error] {
	return statement(ctx, f.network, bank.ErrNotTaken, f.Bank.Statement)
}

func (f farBank) ask(ctx context.Context, name, about string, do func(context.Context) (bank.Outcome,
	error)) (bank.Outcome, error) {
	return carry(ctx, f.network, Call{Name: name, About: about, NotTaken: bank.ErrNotTaken},
		func(o bank.Outcome) string { return string(o.State) }, do)
}
