package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// changed is an item's place in the index of changes. The zero value keeps the item out.
type changed struct {
	Partition string `dynamo:"changes_pk,omitempty"`
	Sort      string `dynamo:"changes_sk,omitempty"`
}

// changedAt returns the place of a payment, refund or chargeback. An item that never changed has none, and costs
// nothing.
func changedAt(t identity.Tenant, shard int, at time.Time, id string) changed {
	if at.IsZero() {
		return changed{}
	}
	return changed{Partition: changesList(t, shard), Sort: historyPosition(at, id)}
}

// payoutChangedAt returns the place of a payout that has changed payments. The place stands for all these payments,
// whose own places would cost two units each.
func payoutChangedAt(t identity.Tenant, p payout.Payout) changed {
	if p.ChangedAt.IsZero() {
		return changed{}
	}
	return changed{Partition: changingPayoutsList(t), Sort: micros(p.ChangedAt) + "#" + recordPrefix(p)}
}

// changesAttributes are in the index of changes: those of the history's index, the item's place in the history, which
// gives the order, and the creator of the checkout.
var changesAttributes = append(slices.Clone(historyAttributes), historySort, "creator")

// fewChanges is as many changes as most polls find.
const fewChanges = 100

// changeEntry is an entry of the index of changes.
type changeEntry struct {
	HistoryEntry
	changed
}

// Changes has the items of a tenant that were created before a time and changed since.
type Changes struct {
	view    *View
	tenant  identity.Tenant
	shards  int
	since   time.Time
	entries map[key]HistoryEntry
}

// ChangesSince finds the items of a range of the history that were created before the time and changed since. It reads
// at most most changed items and as many payout records. It returns false if the index of changes cannot tell them: the
// time is before the index's birth, there are more changes, or a payout record is too old to name its payment's time.
// An item may be among the changes although its last change was earlier, because a payout changes its payments in
// steps.
func (s *View) ChangesSince(ctx context.Context, t identity.Tenant, shards int, r Range, since time.Time,
	most int) (*Changes, bool, error) {
	c := &Changes{view: s, tenant: t, shards: shards, since: since}
	older, _ := r.split(since)
	if from, to := older.span(); from >= to {
		return c, true, nil
	}
	var ok bool
	var err error
	c.entries, ok, err = s.findChanges(ctx, t, shards, since, most)
	return c, ok, err
}

// Count returns the number of changed items.
func (c *Changes) Count() int { return len(c.entries) }

// History walks a range of the history like View.History, without the items that were created before the time and have
// not changed since. The range must be within that of ChangesSince.
func (c *Changes) History(ctx context.Context, r Range, first, most int) iter.Seq2[HistoryEntry, error] {
	older, newer := r.split(c.since)
	return func(yield func(HistoryEntry, error) bool) {
		created := c.view.History(ctx, c.tenant, c.shards, newer, first, most)
		walks := []iter.Seq2[HistoryEntry, error]{withoutErrors(older.sort(c.entries)), created}
		if r.NewestFirst {
			slices.Reverse(walks)
		}
		for _, walk := range walks {
			for entry, err := range walk {
				if !yield(entry, err) {
					return
				}
			}
		}
	}
}

// split divides the range into the items that were created before the time, and all others.
func (r Range) split(at time.Time) (older, newer Range) {
	older, newer = r, r
	from, to := r.span()
	position := Bound{At: at}.position(false)
	if position < to {
		older.Newest = &Bound{At: at}
	}
	if position > from {
		newer.Oldest = &Bound{At: at, Inclusive: true}
	}
	return older, newer
}

// sort returns the entries within the range, in its order.
func (r Range) sort(found map[key]HistoryEntry) []HistoryEntry {
	from, to := r.span()
	var entries []HistoryEntry
	for _, entry := range found {
		if from <= entry.Sort && entry.Sort <= to {
			entries = append(entries, entry)
		}
	}
	slices.SortFunc(entries, func(a, b HistoryEntry) int { return cmp.Compare(a.Sort, b.Sort) })
	if r.NewestFirst {
		slices.Reverse(entries)
	}
	return entries
}

func withoutErrors(entries []HistoryEntry) iter.Seq2[HistoryEntry, error] {
	return func(yield func(HistoryEntry, error) bool) {
		for _, entry := range entries {
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// findChanges returns the entries of all items that changed since the time, and of some that did not. It returns false
// as ChangesSince does.
func (s *View) findChanges(ctx context.Context, t identity.Tenant, shards int, since time.Time,
	most int) (map[key]HistoryEntry, bool, error) {
	if birth, err := s.changesBirth(ctx); err != nil || birth.IsZero() || since.Before(birth) {
		return nil, false, err
	}
	found := map[key]HistoryEntry{}
	for entry, err := range (sharded[changeEntry]{
		query:    func(shard int) *dynamo.Query { return s.changesFrom(changesList(t, shard), since) },
		position: func(e changeEntry) string { return e.changed.Sort },
		shards:   shards, first: fewChanges, most: most + 1,
	}).walk(ctx) {
		if err != nil {
			return nil, false, err
		}
		entry.Creator = cmp.Or(entry.Creator, new(string))
		found[entry.key] = entry.complete()
	}
	records, ok, err := s.recordsChangedSince(ctx, t, since, most)
	for _, record := range records {
		k := transactionKey(t, record.Code, record.TransactionID)
		if _, known := found[k]; !known {
			found[k] = HistoryEntry{key: k, FromRecord: true, HistoryEntry: payments.HistoryEntry{ID: record.TransactionID,
				Type: payments.PaymentItem},
				listed: listedAt(t, record.Shard, record.TransactionAt, record.TransactionID)}
		}
	}
	return found, ok && len(found) <= most, err
}

// changesFrom queries a partition of the index of changes from a time on.
func (s *View) changesFrom(partition string, since time.Time) *dynamo.Query {
	return s.table.get(changesPartition, partition).Range(changesSort, dynamo.Between, micros(since), afterAll).
		Index(changesIndex)
}

// recordsChangedSince returns the records whose payments the tenant's payouts changed, of each payout that changed any
// since the time. One query reads the records of all these payouts, whose days mostly follow each other. It returns
// false if there are too many records, or if one does not say when its payment was created.
func (s *View) recordsChangedSince(ctx context.Context, t identity.Tenant, since time.Time,
	most int) ([]payout.Record, bool, error) {
	payouts, err := readFirst[changeEntry](ctx, s.changesFrom(changingPayoutsList(t), since), most+1)
	if err != nil || len(payouts) == 0 || len(payouts) > most {
		return nil, len(payouts) == 0, err
	}
	prefixes := map[string]bool{}
	for _, p := range payouts {
		_, prefix, _ := strings.Cut(p.Sort, "#")
		prefixes[prefix] = true
	}
	inOrder := slices.Sorted(maps.Keys(prefixes))
	query := s.recordsBetween(t, inOrder[0], inOrder[len(inOrder)-1]+afterAll, false)
	records, err := readFirst[payout.Record](ctx, query, most+1)
	if err != nil || len(records) > most {
		return nil, false, err
	}
	records = slices.DeleteFunc(records, func(r payout.Record) bool {
		return !r.Changed() || !prefixes[recordPrefix(payout.Payout{Day: r.Day, ID: r.PayoutID})]
	})
	undated := slices.ContainsFunc(records, func(r payout.Record) bool { return r.TransactionAt.IsZero() })
	return records, !undated, nil
}

// birthItem says since when every writer writes the places in the index of changes.
type birthItem struct {
	key
	At time.Time `dynamo:"at"`
}

// changesBirth returns the birth of the index of changes, or the zero time before RecordChangesBirth. A process reads
// the birth until it finds it; it never changes.
func (s *View) changesBirth(ctx context.Context) (time.Time, error) {
	if birth := s.birth.Load(); birth != nil {
		return *birth, nil
	}
	item, err := readOne[birthItem](ctx, s, birthKey(), nil)
	if err == nil && !item.At.IsZero() {
		s.birth.Store(&item.At)
	}
	return item.At, err
}

// RecordChangesBirth records the time from which on every writer writes the places in the index of changes. A recorded
// time stays. RecordChangesBirth returns false if the table has no such index yet, or is building it.
func (s *Store) RecordChangesBirth(ctx context.Context, at time.Time) (bool, error) {
	_, err := s.table.Get(changesPartition, KindChanges.named("")).Index(changesIndex).SearchLimit(1).Count(ctx)
	if refused, ok := errors.AsType[smithy.APIError](err); ok && refused.ErrorCode() == "ValidationException" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = ifRefused(s.table.Put(birthItem{birthKey(), at}).If("attribute_not_exists(pk)").Run(ctx), nil)
	return err == nil, err
}
