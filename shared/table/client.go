// Package table has what acquirers and banks share that keep their own records
// in DynamoDB. They know the platform only by their port.
package table

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/guregu/dynamo/v2"
)

// Client reads and writes items under keys of its owner's.
type Client struct {
	DB    *dynamo.DB
	Table dynamo.Table
	Now   func() time.Time // nil: the system's clock
}

// Key is the key of an item.
type Key struct {
	PK string `dynamo:"pk,hash"`
	SK string `dynamo:"sk,range"`
}

// NewKey is the key of a partition and a sort key.
func NewKey(pk, sk string) Key { return Key{PK: pk, SK: sk} }

// Time is the current time, in UTC.
func (c Client) Time() time.Time {
	if c.Now == nil {
		return time.Now().UTC()
	}
	return c.Now().UTC()
}

// Get reads one item, consistently.
func (c Client) Get(k Key) *dynamo.Query {
	return c.Table.Get("pk", k.PK).Range("sk", dynamo.Equal, k.SK).Consistent(true)
}

// One reads one item, consistently. Error: unknown, if there is none.
func One[I any](ctx context.Context, c Client, k Key, unknown error) (I, error) {
	var item I
	err := c.Get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = unknown
	}
	return item, err
}

// Write runs a conditional write of an item, and returns the item that is stored then. After a failed write that is the
// item of a faster writer, or after a lost reply its own. The write has failed for good, with its error, if there is no
// item, or if the item is open: it still meets the write's condition. nil: no item is open.
func Write[I any](ctx context.Context, c Client, k Key, item I, run func(context.Context) error,
	open func(I) bool) (I, error) {
	cause := run(ctx)
	if cause == nil {
		return item, nil
	}
	stored, err := One[I](ctx, c, k, dynamo.ErrNotFound)
	switch {
	case errors.Is(err, dynamo.ErrNotFound), err == nil && open != nil && open(stored):
		return stored, cause
	case err != nil:
		return stored, errors.Join(cause, err)
	default:
		return stored, nil
	}
}

// Delete deletes one item.
func (c Client) Delete(k Key) *dynamo.Delete { return c.Table.Delete("pk", k.PK).Range("sk", k.SK) }

// Transaction begins a write transaction that takes effect once, however often its request arrives.
func (c Client) Transaction() *dynamo.WriteTx { return c.DB.WriteTx().Idempotent(true) }

// Items are those that a query or a scan finds.
type Items interface{ Iter() dynamo.PagingIter }

// Walk reads items page by page and converts each with line. Ranging over it again reads again. Writes during the walk
// may be missing. An error ends it.
func Walk[I, T any](ctx context.Context, items Items, line func(I) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		pages := items.Iter()
		for {
			var item I // a new one: attributes missing from the next item would stay
			if !pages.Next(ctx, &item) {
				break
			}
			if !yield(line(item), nil) {
				return
			}
		}
		if err := pages.Err(); err != nil {
			var none T
			yield(none, err)
		}
	}
}
