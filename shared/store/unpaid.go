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

// unpaidItem is a row that waits for a payout.
type unpaidItem struct {
	key
	payments.Unpaid
}

// newRow makes a row wait.
func (s *Store) newRow(t identity.Tenant, u payments.Unpaid) *dynamo.Put {
	return s.table.Put(unpaidItem{key: unpaidKey(t, u), Unpaid: u}).If("attribute_not_exists(pk)")
}

// putRow makes a debit wait, or changes a credit that waits still: one that a
// payout has taken stays taken.
func (s *Store) putRow(t identity.Tenant, u payments.Unpaid) *dynamo.Put {
	if u.Kind != payments.UnpaidPart {
		return s.newRow(t, u)
	}
	return s.table.Put(unpaidItem{key: unpaidKey(t, u), Unpaid: u}).If("attribute_exists(pk)")
}

// HasUnpaid says a row of the tenant became eligible before the time that a
// payout would do something about: what was carried forward from an earlier
// one would, alone, only be carried again.
func (s *Reader) HasUnpaid(ctx context.Context, t identity.Tenant, c money.Currency, before time.Time) (bool, error) {
	rows, err := unpaid(ctx, s.unpaidBefore(t, c, creditPrefix, before).Limit(1))
	if err != nil || len(rows) > 0 {
		return len(rows) > 0, err
	}
	debits, err := first[unpaidItem](ctx, s.unpaidBefore(t, c, debitPrefix, before).Filter("'kind' <> ?",
		payments.UnpaidBalance), 1)
	return len(debits) > 0, err
}

// RowWaits says a row still waits, by a consistent read.
func (s *Reader) RowWaits(ctx context.Context, t identity.Tenant, u payments.Unpaid) (bool, error) {
	var found key
	err := s.get(unpaidKey(t, u)).One(ctx, &found)
	if errors.Is(err, dynamo.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// UnpaidRows reads at most so many rows that became eligible before the time,
// consistently and from the table itself, so that none means none. Credits come
// first: a payout that is taken in several steps lacks something only when they
// do not suffice.
func (s *Reader) UnpaidRows(ctx context.Context, t identity.Tenant, c money.Currency, before time.Time,
	limit int) ([]payments.Unpaid, error) {
	rows, err := unpaid(ctx, s.unpaidBefore(t, c, creditPrefix, before).Limit(limit))
	if err != nil || len(rows) == limit {
		return rows, err
	}
	debits, err := unpaid(ctx, s.unpaidBefore(t, c, debitPrefix, before).Limit(limit-len(rows)))
	return append(rows, debits...), err
}

func (s *Reader) unpaidBefore(t identity.Tenant, c money.Currency, side string, before time.Time) *dynamo.Query {
	return s.table.Get(partitionKey, unpaidPartition(t, c)).Range(sortKey, dynamo.Between, side,
		side+micros(before)).Consistent(true)
}

func unpaid(ctx context.Context, query *dynamo.Query) ([]payments.Unpaid, error) {
	var items []unpaidItem
	err := query.All(ctx, &items)
	rows := make([]payments.Unpaid, len(items))
	for i, item := range items {
		rows[i] = item.Unpaid
	}
	return rows, err
}

// TransactionsOf reads the transactions of rows or records, consistently, by
// their ids.
func (s *Reader) TransactionsOf(ctx context.Context, t identity.Tenant,
	rows []payments.Unpaid) (map[string]payments.Transaction, error) {
	var wanted []key
	for _, row := range rows {
		if row.Kind == payments.UnpaidPart {
			wanted = append(wanted, transactionKey(t, row.Code, row.TransactionID))
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
	rows []payments.Unpaid) (map[string]payments.Event, error) {
	var wanted []key
	for _, row := range rows {
		if row.Kind == payments.UnpaidRefund || row.Kind == payments.UnpaidChargeBack {
			wanted = append(wanted, eventKey(t, row.Code, row.ID))
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

// Owes says what the merchant is owed, by the rows that wait for its payouts,
// is at least the amount. It reads all debits, and credits only until they
// suffice.
func (s *Reader) Owes(ctx context.Context, t identity.Tenant, atLeast money.Amount) (bool, error) {
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
