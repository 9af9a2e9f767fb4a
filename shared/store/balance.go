package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// unpaidItem is a row that waits for a payout.
type unpaidItem struct {
	key
	payments.Unpaid
}

// newRow makes a row wait.
func (s *Store) newRow(t account.Tenant, u payments.Unpaid) *dynamo.Put {
	return s.table.Put(unpaidItem{key: unpaidKey(t, u), Unpaid: u}).If("attribute_not_exists(pk)")
}

// putRow makes a debit wait, or changes a credit that waits still: one that a
// payout has taken stays taken.
func (s *Store) putRow(t account.Tenant, u payments.Unpaid) *dynamo.Put {
	if u.Kind != payments.UnpaidPart {
		return s.newRow(t, u)
	}
	return s.table.Put(unpaidItem{key: unpaidKey(t, u), Unpaid: u}).If("attribute_exists(pk)")
}

// Held is what a merchant's refunds in flight take from its balance. Every
// refund under a floor passes this item's version, so that two of them cannot
// count on the same money.
type Held struct {
	Amount  money.Amount `dynamo:"amount"`
	Version int          `dynamo:"version"`
}

type heldItem struct {
	key
	Held
}

// Held reads what is held, consistently; nothing before the first time.
func (s *Store) Held(ctx context.Context, t account.Tenant, c money.Currency) (Held, error) {
	var item heldItem
	err := s.get(heldKey(t, c)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return Held{Amount: money.Zero(c)}, nil
	}
	return item.Held, err
}

// hold changes what is held, within a transaction whose other conditions make
// it happen once. before is what the decision to hold more was based on; nil
// when held money is given back, which may happen at any time.
func (s *Store) hold(t account.Tenant, delta money.Amount, before *Held) *dynamo.Update {
	k := heldKey(t, delta.Currency())
	update := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK)
	if before != nil && before.Version == 0 {
		return update.Set("amount", delta).Set("version", 1).If("attribute_not_exists(pk)")
	}
	update.SetExpr("'amount'.'v' = 'amount'.'v' + ?", delta.StoredNumber()).SetExpr("'version' = 'version' + ?", 1)
	if before == nil {
		return update.If("attribute_exists(pk)")
	}
	return update.If("'version' = ?", before.Version)
}

// Owes says what the merchant is owed, by the rows that wait for its payouts,
// is at least the amount. It reads all debits, and credits only until they
// suffice.
func (s *Store) Owes(ctx context.Context, t account.Tenant, atLeast money.Amount) (bool, error) {
	short := atLeast // what is missing; debits add to it
	for _, side := range []string{debitPrefix, creditPrefix} {
		rows := s.table.Get(partitionKey, unpaidPartition(t, atLeast.Currency())).
			Range(sortKey, dynamo.BeginsWith, side).Consistent(true).Iter()
		for {
			var item unpaidItem
			if side == creditPrefix && short.Sign() <= 0 {
				return true, nil
			}
			if !rows.Next(ctx, &item) {
				break
			}
			var err error
			if short, err = short.Sub(item.Amount); err != nil {
				return false, err
			}
		}
		if err := rows.Err(); err != nil {
			return false, err
		}
	}
	return short.Sign() <= 0, nil
}
