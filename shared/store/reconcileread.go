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

// Reads reads items for reconcile. Reads that are not consistent may lag behind writes by a moment, for half the price.
type Reads struct {
	*View
	Consistent bool
}

// MoneyOfCode walks the transactions of a code with their events, and the entries of their journal.
func (r Reads) MoneyOfCode(ctx context.Context, t identity.Tenant, code string) iter.Seq2[ReconciledItem, error] {
	return r.walkPartitions(ctx, transactionPartition(t, code), journalPartition(t, code))
}

// MoneyOfPayout walks a payout and its entries, without its records.
func (r Reads) MoneyOfPayout(ctx context.Context, t identity.Tenant, id string) iter.Seq2[ReconciledItem, error] {
	return r.walkPartitions(ctx, payoutKey(t, id).PK, journalPartition(t, id))
}

// MoneyOfStatements walks the lines of statements about a transaction or payout.
func (r Reads) MoneyOfStatements(ctx context.Context, t identity.Tenant,
	subject string) iter.Seq2[ReconciledItem, error] {
	return r.walkPartitions(ctx, statementPartition(t, subject))
}

// walkPartitions walks whole partitions.
func (r Reads) walkPartitions(ctx context.Context, partitions ...string) iter.Seq2[ReconciledItem, error] {
	return func(yield func(ReconciledItem, error) bool) {
		for _, partition := range partitions {
			for item, err := range walkReconciled(ctx, r.table.get(partitionKey, partition).Consistent(r.Consistent).Iter()) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}

// MoneyOfDebits walks the debits among the tenant's payables in a currency and shard.
func (r Reads) MoneyOfDebits(ctx context.Context, t identity.Tenant, c money.Currency,
	shard int) iter.Seq2[ReconciledItem, error] {
	return walkReconciled(ctx, r.prefixed(payablePartition(t, c, shard), debitPrefix).Consistent(r.Consistent).Iter())
}

// MoneyOfRecords walks the records of one payout, which are stored under its day (YYYY-MM-DD).
func (r Reads) MoneyOfRecords(ctx context.Context, t identity.Tenant, day,
	payoutID string) iter.Seq2[ReconciledItem, error] {
	return walkReconciled(ctx, r.prefixed(payoutRecordPartition(t), recordPrefix(payout.Payout{Day: day, ID: payoutID})).
		Consistent(r.Consistent).Iter())
}

// MoneyOfPayables walks the records of payables, by id, in all payouts from a day on (YYYY-MM-DD). The walk ends when
// the caller has deleted all ids. For each payout it reads the first record, which names the payout, and then the
// records of the ids in one batch.
func (r Reads) MoneyOfPayables(ctx context.Context, t identity.Tenant, from string,
	ids map[string]bool) iter.Seq2[ReconciledItem, error] {
	return func(yield func(ReconciledItem, error) bool) {
		for of, err := range r.payoutsFrom(ctx, t, from) {
			if err != nil {
				yield(ReconciledItem{}, err)
				return
			}
			var keys []ItemKey
			for id := range ids {
				keys = append(keys, RecordKey(t, payout.Record{Day: of.Day, PayoutID: of.PayoutID,
					Payable: payments.Payable{ID: id}}))
			}
			if len(keys) == 0 {
				return
			}
			items, err := r.MoneyByKey(ctx, keys)
			if err != nil {
				yield(ReconciledItem{}, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// payoutsFrom walks the payouts that have records of a day or later. It yields the first record of each.
func (r Reads) payoutsFrom(ctx context.Context, t identity.Tenant, from string) iter.Seq2[payout.Record, error] {
	return func(yield func(payout.Record, error) bool) {
		for {
			first, err := readFirst[payout.Record](ctx, r.table.get(partitionKey, payoutRecordPartition(t)).
				Range(sortKey, dynamo.GreaterOrEqual, from).Consistent(r.Consistent).SearchLimit(1), 1)
			if err != nil {
				yield(payout.Record{}, err)
				return
			}
			if len(first) == 0 || !yield(first[0], nil) {
				return
			}
			from = recordPrefix(payout.Payout{Day: first[0].Day, ID: first[0].PayoutID}) + afterAll
		}
	}
}

// MoneyByKey reads items by their keys. Missing items are left out.
func (r Reads) MoneyByKey(ctx context.Context, keys []ItemKey) ([]ReconciledItem, error) {
	var raw []dynamo.Item
	keys = slices.SortedFunc(slices.Values(keys), key.compare)
	if err := r.readBatch(ctx, keys, r.Consistent, &raw); err != nil {
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
