// Package table is what parties share that keep books of their own in
// DynamoDB, and know the platform only by their port: acquirers and banks.
package table

import (
	"time"

	"github.com/guregu/dynamo/v2"
)

// Books are items under keys of one's own.
type Books struct {
	DB    *dynamo.DB
	Table dynamo.Table
	Now   func() time.Time // nil: the system's clock
}

// Key is an item's.
type Key struct {
	PK string `dynamo:"pk,hash"`
	SK string `dynamo:"sk,range"`
}

// NewKey is the key of a partition and a sort key.
func NewKey(pk, sk string) Key { return Key{PK: pk, SK: sk} }

// Time is what the clock shows, in UTC.
func (b Books) Time() time.Time {
	if b.Now == nil {
		return time.Now().UTC()
	}
	return b.Now().UTC()
}

// Get reads one item, consistently.
func (b Books) Get(k Key) *dynamo.Query {
	return b.Table.Get("pk", k.PK).Range("sk", dynamo.Equal, k.SK).Consistent(true)
}

// Delete deletes one item.
func (b Books) Delete(k Key) *dynamo.Delete { return b.Table.Delete("pk", k.PK).Range("sk", k.SK) }

// Transaction begins one that happens once, though its request may arrive more
// often.
func (b Books) Transaction() *dynamo.WriteTx { return b.DB.WriteTx().Idempotent(true) }
