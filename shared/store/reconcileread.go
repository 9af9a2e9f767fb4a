package store

import (
	"context"
	"iter"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// ItemKey identifies an item of the table, for reconcile.
type ItemKey = key

// PayableKey returns the key of a payable. It follows from the currency, shard, kind, id and time of the payable.
func PayableKey(t identity.Tenant, u payments.Payable) ItemKey { return payableKey(t, u) }

// RecordKey returns the key of a payout's record. It follows from the payout, its day, and the id of the record.
func RecordKey(t identity.Tenant, r payout.Record) ItemKey {
	return key{payoutRecordPartition(t), recordPrefix(payout.Payout{Day: r.Day, ID: r.PayoutID}) + r.ID}
}

// TransactionKey returns the key of a transaction.
func TransactionKey(t identity.Tenant, id string) ItemKey {
	return transactionKey(t, payments.CodeOfID(id), id)
}

// PayoutKey returns the key of a payout.
func PayoutKey(t identity.Tenant, id string) ItemKey { return payoutKey(t, id) }

// MoneyOfCode walks the transactions of a code with their events, and the entries of their journal.
func (s *View) MoneyOfCode(ctx context.Context, t identity.Tenant, code string) iter.Seq2[ReconciledItem, error] {
	return s.walkPartitions(ctx, transactionPartition(t, code), journalPartition(t, code))
}

// MoneyOfPayout walks a payout and its entries, without its records.
func (s *View) MoneyOfPayout(ctx context.Context, t identity.Tenant, id string) iter.Seq2[ReconciledItem, error] {
	return s.walkPartitions(ctx, payoutKey(t, id).PK, journalPartition(t, id))
}

// MoneyOfStatements walks the lines of statements about a transaction or payout.
func (s *View) MoneyOfStatements(ctx context.Context, t identity.Tenant,
	subject string) iter.Seq2[ReconciledItem, error] {
	return s.walkPartitions(ctx, statementPartition(t, subject))
}

// walkPartitions walks whole partitions.
func (s *View) walkPartitions(ctx context.Context, partitions ...string) iter.Seq2[ReconciledItem, error] {
	return func(yield func(ReconciledItem, error) bool) {
		for _, partition := range partitions {
			for item, err := range walkReconciled(ctx, s.table.get(partitionKey, partition).Consistent(true).Iter()) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}

// MoneyOfDebits walks the debits among the tenant's payables in a currency and shard.
func (s *View) MoneyOfDebits(ctx context.Context, t identity.Tenant, c money.Currency,
	shard int) iter.Seq2[ReconciledItem, error] {
	return walkReconciled(ctx, s.prefixed(payablePartition(t, c, shard), debitPrefix).Iter())
}

// MoneyOfRecords walks the records of one payout, which are stored under its day (YYYY-MM-DD).
func (s *View) MoneyOfRecords(ctx context.Context, t identity.Tenant, day,
	payoutID string) iter.Seq2[ReconciledItem, error] {
	return walkReconciled(ctx, s.prefixed(payoutRecordPartition(t), recordPrefix(payout.Payout{Day: day, ID: payoutID})).
		Iter())
}

// MoneyOfRecord walks the records of one payable in all payouts from a day on (YYYY-MM-DD). It reads two items of each
// payout: the first record, which names the payout, and the record of the payable.
func (s *View) MoneyOfRecord(ctx context.Context, t identity.Tenant, from,
	id string) iter.Seq2[ReconciledItem, error] {
	return func(yield func(ReconciledItem, error) bool) {
		for {
			first, err := readFirst[payout.Record](ctx, s.table.get(partitionKey, payoutRecordPartition(t)).
				Range(sortKey, dynamo.GreaterOrEqual, from).Consistent(true).SearchLimit(1), 1)
			if err != nil {
				yield(ReconciledItem{}, err)
				return
			}
			if len(first) == 0 {
				return
			}
			r := payout.Record{Day: first[0].Day, PayoutID: first[0].PayoutID, Payable: payments.Payable{ID: id}}
			for item, err := range walkReconciled(ctx, s.get(RecordKey(t, r)).Iter()) {
				if !yield(item, err) || err != nil {
					return
				}
			}
			from = recordPrefix(payout.Payout{Day: r.Day, ID: r.PayoutID}) + afterAll
		}
	}
}

// MoneyByKey reads items by their keys, consistently. Missing items are left out.
func (s *View) MoneyByKey(ctx context.Context, keys []ItemKey) ([]ReconciledItem, error) {
	return s.readReconciled(ctx, keys, true)
}

// MoneyByKeyLately is MoneyByKey with reads that may lag behind writes by a moment, for half the price.
func (s *View) MoneyByKeyLately(ctx context.Context, keys []ItemKey) ([]ReconciledItem, error) {
	return s.readReconciled(ctx, keys, false)
}

func (s *View) readReconciled(ctx context.Context, keys []ItemKey, consistent bool) ([]ReconciledItem, error) {
	var raw []dynamo.Item
	keys = slices.SortedFunc(slices.Values(keys), key.compare)
	if err := s.readBatch(ctx, keys, consistent, &raw); err != nil {
		return nil, err
	}
	var items []ReconciledItem
	for _, attributes := range raw {
		if item, ok := parseReconciled(attributes); ok {
			items = append(items, item)
		}
	}
	return items, nil
}
