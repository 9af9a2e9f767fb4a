// Package table helps acquirers, banks and terminals to keep their own records in DynamoDB. Each of them makes a Client
// for its own table, and knows the platform only through its port.
package table

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/guregu/dynamo/v2"
)

// Client reads and writes items under keys of its owner.
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

// NewKey returns the key with a partition key and a sort key.
func NewKey(pk, sk string) Key { return Key{PK: pk, SK: sk} }

// Time returns the current time, in UTC.
func (c Client) Time() time.Time {
	if c.Now == nil {
		return time.Now().UTC()
	}
	return c.Now().UTC()
}

// Get returns a consistent read of one item.
func (c Client) Get(k Key) *dynamo.Query {
	return c.Table.Get("pk", k.PK).Range("sk", dynamo.Equal, k.SK).Consistent(true)
}

// One reads one item, consistently. If the item does not exist, it returns the error unknown.
func One[I any](ctx context.Context, c Client, k Key, unknown error) (I, error) {
	var item I
	err := c.Get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = unknown
	}
	return item, err
}

// Write runs a conditional write of an item, and returns the item that is then stored. If the write fails because
// another writer was faster, this is the other writer's item. If only the reply was lost, it is the given item. Write
// returns the write's error if no item is stored. It also returns that error if open returns true for the stored item.
// open must return true if the write's condition would still hold for the item. In that case no other writer was
// faster. open may be nil.
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

// Delete returns the deletion of one item.
func (c Client) Delete(k Key) *dynamo.Delete { return c.Table.Delete("pk", k.PK).Range("sk", k.SK) }

// Transaction begins a write transaction that takes effect once, even if its request arrives several times.
func (c Client) Transaction() *dynamo.WriteTx { return c.DB.WriteTx().Idempotent(true) }

// Items is a query or a scan.
type Items interface{ Iter() dynamo.PagingIter }

// Walk reads items page by page and converts each item with line. Each range over the walk reads the items again.
// Writes during the walk may be missing. An error ends the walk.
func Walk[I, T any](ctx context.Context, items Items, line func(I) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		pages := items.Iter()
		for {
			var item I // a new item: otherwise attributes that the next item lacks would stay
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
