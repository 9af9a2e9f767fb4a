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
	return carry(ctx, f.network, toBank("Transfer", t.ID+" "+t.Amount.String()), state, f.Bank.Transfer, t)
}

// Cancel is one call, CancelTransfer.
func (f farBank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	return carry(ctx, f.network, toBank("CancelTransfer", id), state, f.Bank.Cancel, id)
}

// Verify is one call.
func (f farBank) Verify(ctx context.Context, v bank.Verification) (merchant.BankAccountStatus, error) {
	return carry(ctx, f.network, toBank("Verify", v.Account.ID),
		func(verdict merchant.BankAccountStatus) string { return string(verdict) }, f.Bank.Verify, v)
}

// Statement is one call as a whole.
func (f farBank) Statement(ctx context.Context) iter.Seq2[bank.StatementLine, error] {
	return statement(ctx, f.network, bank.ErrNotTaken, f.Bank.Statement)
}

func toBank(name, about string) Call {
	return Call{Name: name, About: about, NotTaken: bank.ErrNotTaken}
}

func state(o bank.Outcome) string { return string(o.State) }
