package store

import (
	"context"
	"iter"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// ReconciledItem is one item to compare with others. It holds or moves a tenant's money, or is a file of the tenant.
// One of the pointers is set, or Broken says why none is.
type ReconciledItem struct {
	Key         ItemKey
	Tenant      identity.Tenant
	Name        string // of the partition: a transaction's code, a payout's id, or a currency
	Transaction *payments.Transaction
	Event       *payments.Event
	Entry       *ledger.Entry
	Payable     *payments.Payable
	Reserve     *Reserve
	Payout      *payout.Payout
	Record      *payout.Record
	Line        *StatementLine
	File        *file.File
	Broken      string // the item's key, and why it cannot be read
}

// reconciledKinds lists the kinds that ScanReconciled reads.
var reconciledKinds = []Kind{KindTransaction, KindJournal, KindPayable, KindReserve, KindPayout, KindPayoutRecords,
	KindStatement, KindFiles}

// ScanReconciled walks all tenants' transactions, events, journal entries, payables, reserves, payouts, records, lines
// of statements and files in one of several segments of the table, in the segment's own order. It begins after the item
// with the key after; the zero key begins with the first item. It scans the table, because its indexes are not
// consistent. Pages are read at different times, so items that belong together may be from different times.
func (s *View) ScanReconciled(ctx context.Context, segment, segments int,
	after ItemKey) iter.Seq2[ReconciledItem, error] {
	var anyKind []string
	var prefixes []any
	for _, kind := range reconciledKinds {
		anyKind, prefixes = append(anyKind, "begins_with(pk, ?)"), append(prefixes, kind.named(""))
	}
	scan := s.table.scan().Segment(segment, segments).Consistent(true).
		Filter(strings.Join(anyKind, " OR "), prefixes...)
	if after != (ItemKey{}) {
		scan.StartFrom(dynamo.PagingKey(after.item()))
	}
	return walkReconciled(ctx, scan.Iter())
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
	if !ok && p.Kind != KindStatement { // a line of a statement may name an unknown tenant
		return ReconciledItem{}, false
	}
	a := ReconciledItem{Key: k, Tenant: p.Tenant, Name: p.Last}
	into := a.newTarget(p.Kind, k.SK)
	if into == nil {
		return ReconciledItem{}, false
	}
	if err := dynamo.UnmarshalItem(raw, into); err != nil {
		return ReconciledItem{Key: k, Tenant: a.Tenant, Name: a.Name, Broken: k.PK + " " + k.SK + ": " + err.Error()}, true
	}
	if a.Line != nil {
		a.Tenant = a.Line.Tenant
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
	case kind == KindStatement:
		a.Line = new(StatementLine)
		return a.Line
	case kind == KindFiles && strings.HasPrefix(sk, filePrefix):
		a.File = new(file.File)
		return a.File
	default:
		return nil
	}
}
