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
// gives the order, and the creator of the checkout. A payout has the number of its records.
var changesAttributes = append(slices.Clone(historyAttributes), historySort, "creator", "records")

const (
	// fewChanges is as many changes as most polls find.
	fewChanges = 100
	// fewPayouts is the number of payouts up to which each has its own query for its records.
	fewPayouts = 16
)

// changeEntry is an entry of the index of changes.
type changeEntry struct {
	HistoryEntry
	changed
	Records int `dynamo:"records"` // of a payout
}

// Changes has the items of a tenant that were created before a time and changed since.
type Changes struct {
	Found     bool // false if the index of changes cannot tell the items
	Undecided bool // true if the entry of an item may lack the attributes of filters, because a payout record names it
	Read      int  // number of index entries and records that were read

	view    *View
	tenant  identity.Tenant
	shards  int
	since   time.Time
	entries []HistoryEntry // oldest first
}

// ChangesSince finds the items of a range of the history that were created before the time and changed since. The index
// of changes cannot tell them if the time is before the index's birth, if there are more than most entries, records or
// changed items, or if a payout record is too old to name its payment's time. An item may be among the changes although
// its last change was earlier, because a payout changes its payments in steps.
func (s *View) ChangesSince(ctx context.Context, t identity.Tenant, shards int, r Range, since time.Time,
	most int) (Changes, error) {
	c := Changes{view: s, tenant: t, shards: shards, since: since}
	older, _ := r.split(since)
	if from, to := older.span(); from >= to {
		c.Found = true
		return c, nil
	}
	birth, err := s.changesBirth(ctx)
	if err != nil || birth.IsZero() || since.Before(birth) {
		return c, err
	}
	found := map[key]HistoryEntry{}
	if err = c.addEntries(ctx, found, most); err != nil || c.Read > most {
		return c, err
	}
	ok, err := c.addRecords(ctx, found, most)
	if c.Found = ok && len(found) <= most; err != nil || !c.Found {
		return c, err
	}
	c.entries = slices.SortedFunc(maps.Values(found), func(a, b HistoryEntry) int { return cmp.Compare(a.Sort, b.Sort) })
	return c, nil
}

// addEntries adds the entries of the index that were created before the time. It reads at most one more than most.
func (c *Changes) addEntries(ctx context.Context, found map[key]HistoryEntry, most int) error {
	created := Bound{At: c.since}.position(false) // entries from here on are in the history since the time
	for entry, err := range (sharded[changeEntry]{
		query:    func(shard int) *dynamo.Query { return c.query(changesList(c.tenant, shard)) },
		position: func(e changeEntry) string { return e.changed.Sort },
		shards:   c.shards, first: fewChanges, most: most + 1,
	}).walk(ctx) {
		if err != nil {
			return err
		}
		if c.Read++; entry.listed.Sort < created {
			entry.Creator = cmp.Or(entry.Creator, new(string))
			found[entry.key] = entry.complete()
		}
	}
	return nil
}

// query queries a partition of the index of changes from the time on.
func (c *Changes) query(partition string) *dynamo.Query {
	return c.view.table.get(changesPartition, partition).Range(changesSort, dynamo.Between, micros(c.since), afterAll).
		Index(changesIndex)
}

// addRecords adds the payments that payouts changed, of each payout that changed any since the time. It returns false
// if there are more records than most, or if a record does not say when its payment was created.
func (c *Changes) addRecords(ctx context.Context, found map[key]HistoryEntry, most int) (bool, error) {
	payouts, err := readFirst[changeEntry](ctx, c.query(changingPayoutsList(c.tenant)), most+1)
	if err != nil || len(payouts) == 0 {
		return err == nil, err
	}
	prefixes, total := map[string]bool{}, 0
	for _, p := range payouts {
		_, prefix, _ := strings.Cut(p.Sort, "#")
		prefixes[prefix] = true
		total += p.Records
	}
	if c.Read += len(payouts); total > most {
		return false, nil
	}
	for _, query := range c.view.recordQueries(c.tenant, slices.Sorted(maps.Keys(prefixes))) {
		records, err := readFirst[payout.Record](ctx, query, most+1)
		if err != nil || len(records) > most {
			return false, err
		}
		c.Read += len(records)
		for _, record := range records {
			if !record.Changed() || !prefixes[recordPrefix(payout.Payout{Day: record.Day, ID: record.PayoutID})] {
				continue
			}
			if record.TransactionAt.IsZero() {
				return false, nil
			}
			c.addRecord(found, record)
		}
	}
	return true, nil
}

// recordQueries returns the queries that read the records of payouts, given the prefixes of their keys in order. The
// records of many payouts are read by one query, because the days of these payouts mostly follow each other.
func (s *View) recordQueries(t identity.Tenant, prefixes []string) []*dynamo.Query {
	if len(prefixes) > fewPayouts {
		return []*dynamo.Query{s.recordsBetween(t, prefixes[0], prefixes[len(prefixes)-1]+afterAll, false).
			Consistent(false)}
	}
	queries := make([]*dynamo.Query, len(prefixes))
	for i, prefix := range prefixes {
		queries[i] = s.recordsBetween(t, prefix, prefix+afterAll, false).Consistent(false)
	}
	return queries
}

// addRecord adds the payment of a record, unless it was created since the time, or has an entry of its own change.
func (c *Changes) addRecord(found map[key]HistoryEntry, record payout.Record) {
	k := transactionKey(c.tenant, record.Code, record.TransactionID)
	if _, known := found[k]; known || !record.TransactionAt.Before(c.since) {
		return
	}
	c.Undecided = true
	found[k] = HistoryEntry{key: k, FromRecord: true,
		HistoryEntry: payments.HistoryEntry{ID: record.TransactionID, Type: payments.PaymentItem},
		listed:       listedAt(c.tenant, record.Shard, record.TransactionAt, record.TransactionID)}
}

// History walks a range of the history like View.History, without the items that were created before the time and have
// not changed since. The range must be within that of ChangesSince. most limits only the items created since.
func (c Changes) History(ctx context.Context, r Range, first, most int) iter.Seq2[HistoryEntry, error] {
	older, newer := r.split(c.since)
	return func(yield func(HistoryEntry, error) bool) {
		walks := []iter.Seq2[HistoryEntry, error]{older.within(c.entries),
			c.view.History(ctx, c.tenant, c.shards, newer, first, most)}
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

// within walks those of the entries that are in the range, in its direction. The entries are given oldest first.
func (r Range) within(entries []HistoryEntry) iter.Seq2[HistoryEntry, error] {
	from, to := r.span()
	walk := slices.All(entries)
	if r.NewestFirst {
		walk = slices.Backward(entries)
	}
	return func(yield func(HistoryEntry, error) bool) {
		for _, entry := range walk {
			if from <= entry.Sort && entry.Sort <= to && !yield(entry, nil) {
				return
			}
		}
	}
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
