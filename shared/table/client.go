// Package table has what acquirers and banks share that keep their own records
// in DynamoDB. They know the platform only by their port.
package table

import (
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

// Delete deletes one item.
func (c Client) Delete(k Key) *dynamo.Delete { return c.Table.Delete("pk", k.PK).Range("sk", k.SK) }

// Transaction begins a write transaction that takes effect once, though its
// request may arrive more than once.
func (c Client) Transaction() *dynamo.WriteTx { return c.DB.WriteTx().Idempotent(true) }
