package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// putNewPayable returns the put of a new payable, which waits for a payout.
func (s *Store) putNewPayable(t identity.Tenant, u payments.Payable) *dynamo.Put {
	return s.table.Put(storedItem{key: payableKey(t, u), value: u}).If("attribute_not_exists(pk)")
}

// putPayable returns the put of a debit, which is new, or of a changed credit. The write fails if a payout has taken
// the credit.
func (s *Store) putPayable(t identity.Tenant, u payments.Payable) *dynamo.Put {
	if u.Kind != payments.PayablePart {
		return s.putNewPayable(t, u)
	}
	return s.table.Put(storedItem{key: payableKey(t, u), value: u}).If("attribute_exists(pk)")
}

// HasPayables returns true if a payout of the payables that became eligible before the time would do anything. Negative
// balances of earlier payouts alone would only be carried forward again.
func (s *View) HasPayables(ctx context.Context, t identity.Tenant, shards int, c money.Currency,
	before time.Time) (bool, error) {
	for shard := range shards {
		var credits []payments.Payable
		err := s.payablesBefore(t, c, shard, creditPrefix, before).Limit(1).All(ctx, &credits)
		if err != nil || len(credits) > 0 {
			return len(credits) > 0, err
		}
	}
	for shard := range shards {
		debits, err := readFirst[payments.Payable](ctx, s.payablesBefore(t, c, shard, debitPrefix, before).
			Filter("'kind' <> ?", payments.PayableBalanceDeduction), 1)
		if err != nil || len(debits) > 0 {
			return len(debits) > 0, err
		}
	}
	return false, nil
}

// PayableExists returns true if the payable still waits for a payout.
func (s *View) PayableExists(ctx context.Context, t identity.Tenant, u payments.Payable) (bool, error) {
	found, err := readOne[key](ctx, s, payableKey(t, u), nil)
	return found.PK != "", err
}

// Payables reads at most limit payables that became eligible before the time. The credits of all shards come first, so
// that a payout collected in steps gets a negative balance only if the credits do not cover the debits. A caller begins
// each step with another shard, so that few steps query empty shards.
func (s *View) Payables(ctx context.Context, t identity.Tenant, shards, begin int, c money.Currency,
	before time.Time, limit int) ([]payments.Payable, error) {
	var payables []payments.Payable
	for _, side := range []string{creditPrefix, debitPrefix} {
		for n := range shards {
			err := s.payablesBefore(t, c, (begin+n)%shards, side, before).Limit(limit-len(payables)).All(ctx, &payables)
			if err != nil || len(payables) == limit {
				return payables, err
			}
		}
	}
	return payables, nil
}

func (s *View) payablesBefore(t identity.Tenant, c money.Currency, shard int, side string,
	before time.Time) *dynamo.Query {
	return s.table.get(partitionKey, payablePartition(t, c, shard)).Range(sortKey, dynamo.Between, side,
		side+micros(before)).Consistent(true)
}

// TransactionsOf reads the transactions of payables or records, by their ids.
func (s *View) TransactionsOf(ctx context.Context, t identity.Tenant,
	payables []payments.Payable) (map[string]payments.Transaction, error) {
	var wanted []key
	for _, payable := range payables {
		if payable.Kind == payments.PayablePart {
			wanted = append(wanted, transactionKey(t, payable.Code, payable.TransactionID))
		}
	}
	return readIndexed(ctx, s, wanted, true,
		func(i transactionItem) (string, payments.Transaction) { return i.ID, i.Transaction })
}

// DeductionsOf reads the deduction events of records, by their ids.
func (s *View) DeductionsOf(ctx context.Context, t identity.Tenant,
	payables []payments.Payable) (map[string]payments.Event, error) {
	var wanted []key
	for _, payable := range payables {
		if payable.Kind == payments.PayableRefundDeduction || payable.Kind == payments.PayableChargebackDeduction {
			wanted = append(wanted, eventKey(t, payable.Code, payable.ID))
		}
	}
	return readIndexed(ctx, s, wanted, true, func(e payments.Event) (string, payments.Event) { return e.ID, e })
}

// BalanceAtLeast returns true if the merchant's balance, the sum of its payables in all shards, is at least the amount.
// It reads all debits, and then credits until they suffice.
func (s *View) BalanceAtLeast(ctx context.Context, t identity.Tenant, shards int,
	atLeast money.Amount) (bool, error) {
	shortfall := atLeast // debits add to it, credits reduce it
	for _, side := range []string{debitPrefix, creditPrefix} {
		for shard := range shards {
			payables := s.prefixed(payablePartition(t, atLeast.Currency(), shard), side).Iter()
			for side == debitPrefix || shortfall.Sign() > 0 {
				var item payments.Payable
				if !payables.Next(ctx, &item) {
					break
				}
				var err error
				if shortfall, err = shortfall.Sub(item.Amount); err != nil {
					return false, err
				}
			}
			if err := payables.Err(); err != nil {
				return false, err
			}
		}
	}
	return shortfall.Sign() <= 0, nil
}
