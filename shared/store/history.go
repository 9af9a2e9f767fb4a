package store

import (
	"context"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type dynamoValue = types.AttributeValue

// listed places an item in the history; the zero value keeps it out.
type listed struct {
	Partition string `dynamo:"history_pk,omitempty"`
	Sort      string `dynamo:"history_sk,omitempty"`
}

func listedAt(t account.Tenant, at time.Time, id string) listed {
	return listed{Partition: historyList(t), Sort: historyPosition(at, id)}
}

func historyPosition(at time.Time, id string) string { return micros(at) + "#" + id }

// historyAttributes are what the history index holds of a payment, refund or
// charge-back: all of payments.HistoryItem, so that a page is one query.
var historyAttributes = []string{
	"id", "transaction_id", "transaction_code", "client_transaction_id", "type", "status", "simple_status", "created_at",
	"updated_at", "amount", "refunded", "product_summary", "username", "payment_type", "entry_mode",
	"installments_count", "card", "payouts", "payout_plan",
}

// Bound is an end of a range of the history: a time or, with an ID, an item's
// place.
type Bound struct {
	At        time.Time
	ID        string
	Inclusive bool
}

// Range of the history; nil is unbounded.
type Range struct{ Oldest, Newest *Bound }

// Characters that sort right before and right after what may follow in a
// position: a time is followed by "#", an id by nothing.
const (
	afterTime = "$"
	afterID   = "!"
)

func (r Range) bounds() (from, to string) {
	from, to = "0", "~"
	if b := r.Oldest; b != nil {
		from = micros(b.At)
		switch {
		case b.ID != "" && b.Inclusive:
			from = historyPosition(b.At, b.ID)
		case b.ID != "":
			from = historyPosition(b.At, b.ID) + afterID
		case !b.Inclusive:
			from += afterTime
		}
	}
	if b := r.Newest; b != nil {
		to = micros(b.At)
		switch {
		case b.ID != "": // the item itself is passed over below
			to = historyPosition(b.At, b.ID)
		case b.Inclusive:
			to += afterTime
		}
	}
	return from, to
}

// History walks a range of the tenant's payments, refunds and charge-backs in
// order of time, reading so many at a time; whoever stops early reads no
// further. It lags behind writes by moments.
func (s *Store) History(ctx context.Context, t account.Tenant, r Range, newestFirst bool, chunk int) iter.Seq2[payments.HistoryItem, error] {
	return func(yield func(payments.HistoryItem, error) bool) {
		from, to := r.bounds()
		if from > to { // which DynamoDB refuses
			return
		}
		query := s.table.Get(historyPartition, historyList(t)).Range(historySort, dynamo.Between, from, to).
			Index(historyIndex).SearchLimit(chunk)
		if newestFirst {
			query.Order(dynamo.Descending)
		}
		rows := query.Iter()
		for {
			var item payments.HistoryItem
			if !rows.Next(ctx, &item) {
				break
			}
			passedOver := r.Newest != nil && !r.Newest.Inclusive && item.ID == r.Newest.ID
			if !passedOver && !yield(item, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(payments.HistoryItem{}, err)
		}
	}
}

// HistoryPlace is where the item with the id stands in the history: an
// exclusive bound. Failure: NotFound.
func (s *Store) HistoryPlace(ctx context.Context, t account.Tenant, id string) (Bound, error) {
	records, err := s.Transactions(ctx, t, payments.CodeOfID(id))
	if err != nil {
		return Bound{}, err
	}
	for _, r := range records {
		if r.ID == id {
			return Bound{At: r.CreatedAt, ID: id}, nil
		}
	}
	code, ok := payments.CodeWithin(id)
	if !ok {
		return Bound{}, errNoTransaction
	}
	if records, err = s.Transactions(ctx, t, code); err != nil {
		return Bound{}, err
	}
	for _, r := range records {
		for _, e := range r.Events {
			if e.ID == id && e.Listed() {
				return Bound{At: e.CreatedAt, ID: id}, nil
			}
		}
	}
	return Bound{}, errNoTransaction
}
