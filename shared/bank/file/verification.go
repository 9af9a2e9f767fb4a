package file

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/table"
)

// verification is an account that the operator verifies, with the operator's final answer. Verdict is Pending until the
// answer.
type verification struct {
	bank.Verification
	Verdict   merchant.BankAccountStatus `dynamo:"verdict"`
	AskedAt   time.Time                  `dynamo:"asked_at"`
	DecidedAt time.Time                  `dynamo:"decided_at,omitempty"`
}

type verificationItem struct {
	table.Key
	verification
}

// askedItem is a verification that the operator has not answered yet.
type askedItem struct {
	table.Key
	bank.Verification
}

const askedPartition = "FILEBANK#ASKED"

func accountKey(id string) table.Key { return table.NewKey("FILEBANK#ACCOUNT#"+id, "ACCOUNT") }

func (v verification) askedKey() table.Key {
	return table.NewKey(askedPartition, micros(v.AskedAt)+"#"+v.Account.ID)
}

// ErrDecided reports that the operator has already given a different answer.
var ErrDecided = failure.Conflict("The account is already verified or rejected.")

// Verify asks the operator about the account. It returns the answer that Decide has recorded, or Pending until then.
func (b *Bank) Verify(ctx context.Context, asked bank.Verification) (merchant.BankAccountStatus, error) {
	v, err := b.records.openVerification(ctx, asked)
	return v.Verdict, err
}

// Decide records the operator's answer about an account: Verified or Rejected. Decide may be repeated with the same
// answer. Failures: ErrDecided, Invalid.
func (b *Bank) Decide(ctx context.Context, asked bank.Verification, verdict merchant.BankAccountStatus) error {
	if verdict != merchant.BankAccountVerified && verdict != merchant.BankAccountRejected {
		return failure.Invalid("outcome", "must be verified or rejected")
	}
	v, err := b.records.openVerification(ctx, asked)
	if err == nil && v.Verdict == merchant.BankAccountPending {
		v, err = b.records.decide(ctx, v, verdict)
	}
	if err == nil && v.Verdict != verdict {
		err = ErrDecided
	}
	return err
}

// Asked returns the accounts that wait for the operator's answer, at most limit (1-1000). The account that has waited
// longest comes first.
func (b *Bank) Asked(ctx context.Context, limit int) ([]bank.Verification, error) {
	if limit < 1 || limit > maxListed {
		return nil, failure.Invalid("limit", "must be from 1 to 1000")
	}
	var items []askedItem
	err := b.records.Table.Get("pk", askedPartition).Consistent(true).Limit(limit).All(ctx, &items)
	all := make([]bank.Verification, len(items))
	for i, item := range items {
		all[i] = item.Verification
	}
	return all, err
}

// openVerification stores a new verification. For a known account it returns the stored verification.
func (r records) openVerification(ctx context.Context, asked bank.Verification) (verification, error) {
	stored, err := r.readVerification(ctx, asked.Account.ID)
	if !errors.Is(err, errUnknownAccount) {
		return stored, err
	}
	v := verification{Verification: asked, Verdict: merchant.BankAccountPending, AskedAt: r.Time()}
	item := verificationItem{accountKey(v.Account.ID), v}
	tx := r.Transaction().
		Put(r.Table.Put(item).If("attribute_not_exists(pk)")).
		Put(r.Table.Put(askedItem{v.askedKey(), asked}))
	item, err = table.Write(ctx, r.Client, item.Key, item, tx.Run, nil)
	return item.verification, err
}

// decide records the operator's answer. If an answer is already stored, it returns that answer.
func (r records) decide(ctx context.Context, v verification,
	verdict merchant.BankAccountStatus) (verification, error) {
	v.Verdict, v.DecidedAt = verdict, r.Time()
	item := verificationItem{accountKey(v.Account.ID), v}
	tx := r.Transaction().
		Put(r.Table.Put(item).If("verdict = ?", merchant.BankAccountPending)).
		Delete(r.Delete(v.askedKey()))
	stored, err := table.Write(ctx, r.Client, item.Key, item, tx.Run,
		func(i verificationItem) bool { return i.Verdict == merchant.BankAccountPending })
	return stored.verification, err
}

var errUnknownAccount = errors.New("file: unknown account")

func (r records) readVerification(ctx context.Context, id string) (verification, error) {
	item, err := table.One[verificationItem](ctx, r.Client, accountKey(id), errUnknownAccount)
	return item.verification, err
}
