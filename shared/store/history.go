package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type dynamoValue = types.AttributeValue

// listed is an item's place in the history. The zero value keeps the item out.
type listed struct {
	Partition string `dynamo:"history_pk,omitempty"`
	Sort      string `dynamo:"history_sk,omitempty"`
}

func listedAt(t identity.Tenant, shard int, at time.Time, id string) listed {
	return listed{Partition: historyList(t, shard), Sort: historyPosition(at, id)}
}

func historyPosition(at time.Time, id string) string { return micros(at) + "#" + id }

// historyAttributes are in the history index beside the place of a payment, refund or chargeback, so that filters need
// no items. No payout changes these attributes, so no payout writes to the index. That saves four units for each
// payment, $2.50 for a million. Reading the items of a page of 100 costs $0.0000054 more. The fields of card readers
// are included, because an index cannot be widened.
var historyAttributes = []string{
	"type", "status", "reversed_as", "username", "payment_type", "entry_mode", "location", "reader_serial",
}

// HistoryEntry is the entry of a payment, refund or chargeback in the history.
type HistoryEntry struct {
	key
	listed
	payments.HistoryEntry
	Creator    *string `dynamo:"creator"` // of the checkout; nil if only the item says it
	FromRecord bool    `dynamo:"-"`       // no attributes of filters: a payout record names the payment
}

// complete returns the entry with the id and the type from its keys.
func (e HistoryEntry) complete() HistoryEntry {
	_, e.ID, _ = strings.Cut(e.Sort, "#")
	if strings.HasPrefix(e.SK, transactionPrefix) {
		e.Type = payments.PaymentItem
	}
	return e
}

// Place returns the entry's position, as an exclusive bound.
func (e HistoryEntry) Place() Bound { return Bound{At: timeOf(e.Sort), ID: e.ID} }

// Bound is an end of a range of the history: a time or, with an ID, the position of an item.
type Bound struct {
	At        time.Time
	ID        string
	Inclusive bool
}

// Range is a range of the history and the direction of a walk through it. A nil bound leaves that end open.
type Range struct {
	Oldest, Newest *Bound
	NewestFirst    bool
}

// After returns the rest of the range behind a position, in the direction of the walk.
func (r Range) After(b Bound) Range {
	if r.NewestFirst {
		r.Newest = &b
	} else {
		r.Oldest = &b
	}
	return r
}

// Characters that sort right before and right after any text that may follow in a position. A time is followed by "#",
// an id by nothing.
const (
	afterTime = "$"
	afterID   = "!"
	afterAll  = "~"
)

// span returns the first and the last position that can be in the range.
func (r Range) span() (from, to string) {
	from, to = "0", afterAll
	if b := r.Oldest; b != nil {
		from = b.position(!b.Inclusive)
	}
	if b := r.Newest; b != nil {
		to = b.position(b.Inclusive)
	}
	return from, to
}

// position returns the place right before or after the items with the bound's time or id. Positions are in
// microseconds. A client's time may be more exact, and then no item has that time.
func (b Bound) position(after bool) string {
	switch {
	case b.ID != "" && after:
		return historyPosition(b.At, b.ID) + afterID
	case b.ID != "":
		return before(historyPosition(b.At, b.ID))
	case after || b.At.Nanosecond()%1000 != 0:
		return micros(b.At) + afterTime
	default:
		return micros(b.At)
	}
}

// before returns a text that sorts right before a position, and after all lower positions.
func before(position string) string {
	end := len(position) - 1
	return position[:end] + string(position[end]-1) + afterAll
}

// History walks a range of the tenant's history in order of time. The parameter most bounds the number of entries. The
// parameter first is the number of entries that most callers need, and the first query of the walk reads about that
// many. The history lags behind writes by moments.
func (s *View) History(ctx context.Context, t identity.Tenant, shards int, r Range, first,
	most int) iter.Seq2[HistoryEntry, error] {
	return func(yield func(HistoryEntry, error) bool) {
		from, to := r.span()
		if from > to { // which DynamoDB refuses
			return
		}
		for entry, err := range (sharded[HistoryEntry]{
			query: func(shard int) *dynamo.Query {
				return s.table.get(historyPartition, historyList(t, shard)).Range(historySort, dynamo.Between, from, to).
					Index(historyIndex).Order(dynamo.Order(!r.NewestFirst))
			},
			position: func(e HistoryEntry) string { return e.listed.Sort },
			newest:   r.NewestFirst, shards: shards, first: first, most: most,
		}).walk(ctx) {
			if !yield(entry.complete(), err) {
				return
			}
		}
	}
}

// HistoryItems reads the items of entries, in their order, in calls of 100, without withdrawn refunds. An item may have
// changed since the index saw it. Inconsistent reads may lag behind the index, so missing items are read again,
// consistently.
func (s *View) HistoryItems(ctx context.Context, entries []HistoryEntry) ([]payments.HistoryItem, error) {
	found := make(map[key]payments.HistoryItem, len(entries))
	for _, consistent := range []bool{false, true} {
		var wanted []key
		for _, entry := range entries {
			if _, ok := found[entry.key]; !ok {
				wanted = append(wanted, entry.key)
			}
		}
		if err := s.readHistory(ctx, wanted, consistent, found); err != nil {
			return nil, err
		}
	}
	items := make([]payments.HistoryItem, 0, len(entries))
	for _, entry := range entries {
		if item := found[entry.key]; item.ID != "" {
			items = append(items, item)
		}
	}
	return items, nil
}

// readHistory adds the items of the keys. It adds an empty item for a refund that clients do not see.
func (s *View) readHistory(ctx context.Context, wanted []key, consistent bool,
	found map[key]payments.HistoryItem) error {
	var items []map[string]dynamoValue
	if err := s.readBatch(ctx, wanted, consistent, &items); err != nil {
		return err
	}
	for _, raw := range items {
		var k key
		var records []Record
		var events []payments.Event
		err := errors.Join(dynamo.UnmarshalItem(raw, &k), decodeItem(raw, &records, &events, nil))
		switch {
		case err != nil:
			return err
		case len(records) > 0:
			found[k] = records[0].HistoryItem()
		case events[0].Listed():
			found[k] = events[0].HistoryItem()
		default:
			found[k] = payments.HistoryItem{}
		}
	}
	return nil
}

// HistoryOf walks a range of the history of one transaction code, consistently.
func (s *View) HistoryOf(ctx context.Context, t identity.Tenant, code string,
	r Range) iter.Seq2[payments.HistoryItem, error] {
	return func(yield func(payments.HistoryItem, error) bool) {
		records, err := s.Transactions(ctx, t, code)
		if err != nil {
			yield(payments.HistoryItem{}, err)
			return
		}
		for _, item := range r.arrange(records) {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// arrange returns the items of the records within the range, in the direction of the range.
func (r Range) arrange(records []Record) []payments.HistoryItem {
	from, to := r.span()
	var items []payments.HistoryItem
	take := func(item payments.HistoryItem) {
		if at := historyPosition(item.CreatedAt, item.ID); from <= at && at <= to {
			items = append(items, item)
		}
	}
	for _, record := range records {
		take(record.HistoryItem())
		for _, e := range record.Events {
			if e.Listed() {
				take(e.HistoryItem())
			}
		}
	}
	slices.SortFunc(items, func(a, b payments.HistoryItem) int {
		return cmp.Compare(historyPosition(a.CreatedAt, a.ID), historyPosition(b.CreatedAt, b.ID))
	})
	if r.NewestFirst {
		slices.Reverse(items)
	}
	return items
}

// HistoryPlace returns the position of the item with the id, as an exclusive bound. sees returns true if the caller may
// see a creator's checkouts. A hidden item takes as many reads as an unknown id. Failure: NotFound for both.
func (s *View) HistoryPlace(ctx context.Context, t identity.Tenant, id string,
	sees func(creator string) bool) (Bound, error) {
	places := []key{transactionKey(t, payments.CodeOfID(id), id)}
	if code, ok := payments.CodeWithin(id); ok {
		places = append(places, eventKey(t, code, id))
	}
	for _, k := range places {
		var item struct {
			listed
			CreatedAt time.Time `dynamo:"created_at"`
			Creator   string    `dynamo:"creator"`
		}
		err := s.get(k).One(ctx, &item)
		if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
			return Bound{}, err
		}
		if item.Partition != "" && sees(item.Creator) { // refunds hidden from clients have no partition
			return Bound{At: item.CreatedAt, ID: id}, nil
		}
	}
	return Bound{}, errNoTransaction
}
