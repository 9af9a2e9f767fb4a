package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
)

func recordItem(t identity.Tenant, p payout.Payout, r payout.Record) storedItem {
	return storedItem{key: key{payoutRecordPartition(t), recordPrefix(p) + r.ID}, value: r}
}

// RecordsWithoutOutcome reads, in order, at most limit records that the payout's outcome has not been applied to yet.
func (s *View) RecordsWithoutOutcome(ctx context.Context, t identity.Tenant, p payout.Payout,
	limit int) ([]payout.Record, error) {
	from := recordPrefix(p)
	if p.OutcomeAppliedTo != "" {
		from += p.OutcomeAppliedTo + afterID
	}
	records := []payout.Record{}
	err := s.recordsBetween(t, from, recordPrefix(p)+"~", false).Limit(limit).All(ctx, &records)
	return records, err
}

// PayoutRecords lists the records of the payouts of some days, both inclusive, by day. It leaves out records without a
// known outcome and records of 0 (contract §6.7).
func (s *View) PayoutRecords(ctx context.Context, t identity.Tenant, firstDay, lastDay string, newestFirst bool,
	limit int) ([]payout.Record, error) {
	query := s.recordsBetween(t, firstDay, lastDay+"#~", newestFirst).
		Filter("'status' <> ? AND amount.v <> ?", payout.RecordOpen, 0)
	return readFirst[payout.Record](ctx, query, limit)
}

func (s *View) recordsBetween(t identity.Tenant, from, to string, newestFirst bool) *dynamo.Query {
	query := s.table.get(partitionKey, payoutRecordPartition(t)).Range(sortKey, dynamo.Between, from, to).Consistent(true)
	if newestFirst {
		query.Order(dynamo.Descending)
	}
	return query
}
