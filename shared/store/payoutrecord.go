package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// recordItem is a payout's record.
type recordItem struct {
	key
	payments.PayoutRecord
}

func newRecordItem(t identity.Tenant, p payments.Payout, r payments.PayoutRecord) recordItem {
	return recordItem{key: key{payoutRecords(t), recordsOf(p) + r.ID}, PayoutRecord: r}
}

// RecordsToTell are the payout's next records that have not heard its outcome,
// in their order, at most so many.
func (s *Store) RecordsToTell(ctx context.Context, t identity.Tenant, p payments.Payout, limit int) ([]payments.PayoutRecord, error) {
	from := recordsOf(p)
	if p.Told != "" {
		from += p.Told + afterID
	}
	var items []recordItem
	err := s.recordsBetween(t, from, recordsOf(p)+"~", false).Limit(limit).All(ctx, &items)
	return records(items), err
}

// PayoutRecords lists the records of the payouts of some days, both inclusive,
// by day: those whose outcome is known.
func (s *Store) PayoutRecords(ctx context.Context, t identity.Tenant, firstDay, lastDay string, newestFirst bool, limit int) ([]payments.PayoutRecord, error) {
	query := s.recordsBetween(t, firstDay, lastDay+"#~", newestFirst).Filter("'status' <> ?", payments.RecordOpen)
	items, err := first[recordItem](ctx, query, limit)
	return records(items), err
}

func (s *Store) recordsBetween(t identity.Tenant, from, to string, newestFirst bool) *dynamo.Query {
	query := s.table.Get(partitionKey, payoutRecords(t)).Range(sortKey, dynamo.Between, from, to).Consistent(true)
	if newestFirst {
		query.Order(dynamo.Descending)
	}
	return query
}

func records(items []recordItem) []payments.PayoutRecord {
	records := make([]payments.PayoutRecord, len(items))
	for i, item := range items {
		records[i] = item.PayoutRecord
	}
	return records
}
