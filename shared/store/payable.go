package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// payableItem is a payable that waits for a payout.
type payableItem struct {
	key
	payments.Payable
}

// newPayable makes a payable wait.
func (s *Store) newPayable(t identity.Tenant, u payments.Payable) *dynamo.Put {
	return s.table.Put(payableItem{key: payableKey(t, u), Payable: u}).If("attribute_not_exists(pk)")
}

// putPayable makes a debit wait, or changes a credit that waits still: one that a
// payout has taken stays taken.
func (s *Store) putPayable(t identity.Tenant, u payments.Payable) *dynamo.Put {
	if u.Kind != payments.PayablePart {
		return s.newPayable(t, u)
	}
	return s.table.Put(payableItem{key: payableKey(t, u), Payable: u}).If("attribute_exists(pk)")
}

// HasPayables says a payable of the tenant became eligible before the time that a
// payout would do something about: what was carried forward from an earlier
// one would, alone, only be carried again.
func (s *Reader) HasPayables(ctx context.Context, t identity.Tenant, c money.Currency, before time.Time) (bool, error) {
	payables, err := readPayables(ctx, s.payablesBefore(t, c, creditPrefix, before).Limit(1))
	if err != nil || len(payables) > 0 {
		return len(payables) > 0, err
	}
	debits, err := first[payableItem](ctx, s.payablesBefore(t, c, debitPrefix, before).Filter("'kind' <> ?",
		payments.PayableBalanceDeduction), 1)
	return len(debits) > 0, err
}

// PayableExists says a payable still waits, by a consistent read.
func (s *Reader) PayableExists(ctx context.Context, t identity.Tenant, u payments.Payable) (bool, error) {
	var found key
	err := s.get(payableKey(t, u)).One(ctx, &found)
	if errors.Is(err, dynamo.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Payables reads at most so many payables that became eligible before the time,
// consistently and from the table itself, so that none means none. Credits come
// first: a payout that is taken in several steps lacks something only when they
// do not suffice.
func (s *Reader) Payables(ctx context.Context, t identity.Tenant, c money.Currency, before time.Time,
	limit int) ([]payments.Payable, error) {
	payables, err := readPayables(ctx, s.payablesBefore(t, c, creditPrefix, before).Limit(limit))
	if err != nil || len(payables) == limit {
		return payables, err
	}
	debits, err := readPayables(ctx, s.payablesBefore(t, c, debitPrefix, before).Limit(limit-len(payables)))
	return append(payables, debits...), err
}

func (s *Reader) payablesBefore(t identity.Tenant, c money.Currency, side string, before time.Time) *dynamo.Query {
	return s.table.Get(partitionKey, payablePartition(t, c)).Range(sortKey, dynamo.Between, side,
		side+micros(before)).Consistent(true)
}

func readPayables(ctx context.Context, query *dynamo.Query) ([]payments.Payable, error) {
	var items []payableItem
	err := query.All(ctx, &items)
	payables := make([]payments.Payable, len(items))
	for i, item := range items {
		payables[i] = item.Payable
	}
	return payables, err
}

// TransactionsOf reads the transactions of payables or records, consistently, by
// their ids.
func (s *Reader) TransactionsOf(ctx context.Context, t identity.Tenant,
	payables []payments.Payable) (map[string]payments.Transaction, error) {
	var wanted []key
	for _, payable := range payables {
		if payable.Kind == payments.PayablePart {
			wanted = append(wanted, transactionKey(t, payable.Code, payable.TransactionID))
		}
	}
	var items []transactionItem
	if err := s.batch(ctx, wanted, &items); err != nil {
		return nil, err
	}
	found := make(map[string]payments.Transaction, len(items))
	for _, item := range items {
		found[item.ID] = item.Transaction
	}
	return found, nil
}

// DeductionsOf reads the deduction events of records, consistently, by their
// ids.
func (s *Reader) DeductionsOf(ctx context.Context, t identity.Tenant,
	payables []payments.Payable) (map[string]payments.Event, error) {
	var wanted []key
	for _, payable := range payables {
		if payable.Kind == payments.PayableRefundDeduction || payable.Kind == payments.PayableChargebackDeduction {
			wanted = append(wanted, eventKey(t, payable.Code, payable.ID))
		}
	}
	var items []eventItem
	if err := s.batch(ctx, wanted, &items); err != nil {
		return nil, err
	}
	found := make(map[string]payments.Event, len(items))
	for _, item := range items {
		found[item.ID] = item.Event
	}
	return found, nil
}

// BalanceAtLeast says whether the merchant's balance, the sum of its payables,
// is at least the amount. It reads all debits, and credits only until they
// suffice.
func (s *Reader) BalanceAtLeast(ctx context.Context, t identity.Tenant, atLeast money.Amount) (bool, error) {
	short := atLeast // what is missing; debits add to it
	for _, side := range []string{debitPrefix, creditPrefix} {
		payables := s.table.Get(partitionKey, payablePartition(t, atLeast.Currency())).
			Range(sortKey, dynamo.BeginsWith, side).Consistent(true).Iter()
		for {
			var item payableItem
			if side == creditPrefix && short.Sign() <= 0 {
				return true, nil
			}
			if !payables.Next(ctx, &item) {
				break
			}
			var err error
			if short, err = short.Sub(item.Amount); err != nil {
				return false, err
			}
		}
		if err := payables.Err(); err != nil {
			return false, err
		}
	}
	return short.Sign() <= 0, nil
}
