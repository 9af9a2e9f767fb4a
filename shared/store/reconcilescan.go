package store

import (
	"context"
	"iter"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// ReconciledItem is one item to compare with others. It holds or moves a tenant's money, or is a file of the tenant.
// One of the pointers is set, or Broken says why none is.
type ReconciledItem struct {
	Tenant      identity.Tenant
	Name        string // of the partition: a transaction's code, a payout's id, or a currency
	Transaction *payments.Transaction
	Event       *payments.Event
	Entry       *ledger.Entry
	Payable     *payments.Payable
	Reserve     *Reserve
	Payout      *payout.Payout
	Record      *payout.Record
	File        *file.File
	Broken      string // the item's key, and why it cannot be read
}

// reconciledKinds lists the kinds that ScanReconciled reads.
var reconciledKinds = []Kind{KindTransaction, KindJournal, KindPayable, KindReserve, KindPayout, KindPayoutRecords,
	KindFiles}

// ScanReconciled walks all tenants' transactions, events, journal entries, payables, reserves, payouts, records and
// files in one of several segments of the table, in no particular order. It scans the table, because its indexes are
// not consistent. Pages are read at different times, so items that belong together may be from different times.
func (s *View) ScanReconciled(ctx context.Context, segment, segments int) iter.Seq2[ReconciledItem, error] {
	var anyKind []string
	var prefixes []any
	for _, kind := range reconciledKinds {
		anyKind, prefixes = append(anyKind, "begins_with(pk, ?)"), append(prefixes, kind.named(""))
	}
	return walkReconciled(ctx, s.table.scan().Segment(segment, segments).Consistent(true).
		Filter(strings.Join(anyKind, " OR "), prefixes...).Iter())
}

// MoneyOfCode walks the transactions of a code with their events, and the entries of their journal.
func (s *View) MoneyOfCode(ctx context.Context, t identity.Tenant, code string) iter.Seq2[ReconciledItem, error] {
	return s.walkPartitions(ctx, transactionPartition(t, code), journalPartition(t, code))
}

// MoneyOfPayout walks a payout and its entries, without its records.
func (s *View) MoneyOfPayout(ctx context.Context, t identity.Tenant, id string) iter.Seq2[ReconciledItem, error] {
	return s.walkPartitions(ctx, payoutKey(t, id).PK, journalPartition(t, id))
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

// MoneyOfPayables walks the tenant's payables in a currency.
func (s *View) MoneyOfPayables(ctx context.Context, t identity.Tenant, shards int,
	c money.Currency) iter.Seq2[ReconciledItem, error] {
	partitions := make([]string, shards)
	for shard := range shards {
		partitions[shard] = payablePartition(t, c, shard)
	}
	return s.walkPartitions(ctx, partitions...)
}

// MoneyOfRecords walks the records of the tenant's payouts from a day on (YYYY-MM-DD).
func (s *View) MoneyOfRecords(ctx context.Context, t identity.Tenant, from string) iter.Seq2[ReconciledItem, error] {
	return walkReconciled(ctx, s.table.get(partitionKey, payoutRecordPartition(t)).Range(sortKey, dynamo.GreaterOrEqual,
		from).Consistent(true).Iter())
}

func walkReconciled(ctx context.Context, items dynamo.Iter) iter.Seq2[ReconciledItem, error] {
	return func(yield func(ReconciledItem, error) bool) {
		for raw, err := range each[map[string]dynamoValue](ctx, items) {
			if item, ok := parseReconciled(raw); (ok || err != nil) && !yield(item, err) {
				return
			}
		}
	}
}

// parseReconciled decodes an item. It returns false for a kind that ScanReconciled does not cover. An unreadable item
// is a finding and not an error, so the walk goes on.
func parseReconciled(raw map[string]dynamoValue) (ReconciledItem, bool) {
	var k key
	if dynamo.UnmarshalItem(raw, &k) != nil {
		return ReconciledItem{}, false
	}
	p, ok := ParsePartition(k.PK)
	if !ok {
		return ReconciledItem{}, false
	}
	a := ReconciledItem{Tenant: p.Tenant, Name: p.Last}
	into := a.newTarget(p.Kind, k.SK)
	if into == nil {
		return ReconciledItem{}, false
	}
	if err := dynamo.UnmarshalItem(raw, into); err != nil {
		return ReconciledItem{Tenant: a.Tenant, Name: a.Name, Broken: k.PK + " " + k.SK + ": " + err.Error()}, true
	}
	return a, true
}

// newTarget sets the pointer for an item of the kind, and returns the value to decode the item into. It returns nil if
// ScanReconciled does not cover the kind.
func (a *ReconciledItem) newTarget(kind Kind, sk string) any {
	switch {
	case kind == KindTransaction && strings.HasPrefix(sk, transactionPrefix):
		item := new(transactionItem)
		a.Transaction = &item.Transaction
		return item
	case kind == KindTransaction && strings.HasPrefix(sk, eventPrefix):
		a.Event = new(payments.Event)
		return a.Event
	case kind == KindJournal:
		a.Entry = new(ledger.Entry)
		return a.Entry
	case kind == KindPayable:
		a.Payable = new(payments.Payable)
		return a.Payable
	case kind == KindReserve:
		a.Reserve = new(Reserve)
		return a.Reserve
	case kind == KindPayout:
		a.Payout = new(payout.Payout)
		return a.Payout
	case kind == KindPayoutRecords:
		a.Record = new(payout.Record)
		return a.Record
	case kind == KindFiles && strings.HasPrefix(sk, filePrefix):
		a.File = new(file.File)
		return a.File
	default:
		return nil
	}
}
