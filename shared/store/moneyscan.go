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

// MoneyItem is one item that holds or moves a tenant's money, or one of its files. One of the pointers
// is set, or Broken says why none is.
type MoneyItem struct {
	Tenant      identity.Tenant
	Name        string // what its partition is named after: a transaction's code, a payout's id, or a currency
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

// moneyKinds is what ScanMoney reads.
var moneyKinds = []Kind{KindTransaction, KindJournal, KindPayable, KindReserve, KindPayout, KindPayoutRecords,
	KindFiles}

// ScanMoney walks all tenants' transactions, events, journal entries, payables,
// reserves, payouts, records and files in one of several segments of the table, in no
// particular order, page by page. It reads the table and not an index, because
// only that is consistent. Each item is as of when its page was read, so items
// that belong together may be from different times. An error ends it.
func (s *Reader) ScanMoney(ctx context.Context, segment, segments int) iter.Seq2[MoneyItem, error] {
	var anyKind []string
	var prefixes []any
	for _, kind := range moneyKinds {
		anyKind, prefixes = append(anyKind, "begins_with(pk, ?)"), append(prefixes, kind.named(""))
	}
	return moneyItems(ctx, s.table.Scan().Segment(segment, segments).Consistent(true).
		Filter(strings.Join(anyKind, " OR "), prefixes...).Iter())
}

// MoneyOfCode walks the transactions of a code with their events, and the
// entries of their journal, consistently. An error ends it.
func (s *Reader) MoneyOfCode(ctx context.Context, t identity.Tenant, code string) iter.Seq2[MoneyItem, error] {
	return s.moneyIn(ctx, transactionPartition(t, code), journalPartition(t, code))
}

// MoneyOfPayout walks a payout and its entries, without its records,
// consistently. An error ends it.
func (s *Reader) MoneyOfPayout(ctx context.Context, t identity.Tenant, id string) iter.Seq2[MoneyItem, error] {
	return s.moneyIn(ctx, payoutKey(t, id).PK, journalPartition(t, id))
}

// moneyIn walks whole partitions.
func (s *Reader) moneyIn(ctx context.Context, partitions ...string) iter.Seq2[MoneyItem, error] {
	return func(yield func(MoneyItem, error) bool) {
		for _, partition := range partitions {
			for item, err := range moneyItems(ctx, s.table.Get(partitionKey, partition).Consistent(true).Iter()) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}

// MoneyOfPayables walks the tenant's payables in a currency, consistently. An error
// ends it.
func (s *Reader) MoneyOfPayables(ctx context.Context, t identity.Tenant, shards int,
	c money.Currency) iter.Seq2[MoneyItem, error] {
	partitions := make([]string, shards)
	for shard := range shards {
		partitions[shard] = payablePartition(t, c, shard)
	}
	return s.moneyIn(ctx, partitions...)
}

// MoneyOfRecords walks the records of the tenant's payouts from a day on
// (YYYY-MM-DD), consistently. An error ends it.
func (s *Reader) MoneyOfRecords(ctx context.Context, t identity.Tenant, from string) iter.Seq2[MoneyItem, error] {
	return moneyItems(ctx, s.table.Get(partitionKey, payoutRecords(t)).Range(sortKey, dynamo.GreaterOrEqual,
		from).Consistent(true).Iter())
}

func moneyItems(ctx context.Context, items dynamo.Iter) iter.Seq2[MoneyItem, error] {
	return func(yield func(MoneyItem, error) bool) {
		for {
			var raw map[string]dynamoValue
			if !items.Next(ctx, &raw) {
				break
			}
			if item, ok := moneyItem(raw); ok && !yield(item, nil) {
				return
			}
		}
		if err := items.Err(); err != nil {
			yield(MoneyItem{}, err)
		}
	}
}

// moneyItem reads an item; false when ScanMoney does not cover its kind. An item that
// cannot be read is a finding and no error: the walk goes on.
func moneyItem(raw map[string]dynamoValue) (MoneyItem, bool) {
	var k key
	if dynamo.UnmarshalItem(raw, &k) != nil {
		return MoneyItem{}, false
	}
	p, ok := ParsePartition(k.PK)
	if !ok {
		return MoneyItem{}, false
	}
	a := MoneyItem{Tenant: p.Tenant, Name: p.Last}
	into := a.place(p.Kind, k.SK)
	if into == nil {
		return MoneyItem{}, false
	}
	if err := dynamo.UnmarshalItem(raw, into); err != nil {
		return MoneyItem{Tenant: a.Tenant, Name: a.Name, Broken: k.PK + " " + k.SK + ": " + err.Error()}, true
	}
	return a, true
}

// place is what an item is read into; nil: ScanMoney does not cover it.
func (a *MoneyItem) place(kind Kind, sk string) any {
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
		item := new(fileItem)
		a.File = &item.File
		return item
	default:
		return nil
	}
}
