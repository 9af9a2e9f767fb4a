package store

import (
	"time"

	"github.com/guregu/dynamo/v2"
)

// Reader reads the table. Who is given a Reader cannot write. It is safe for
// concurrent use.
type Reader struct {
	table readable
	now   func() time.Time
}

// Now is the store's clock, in UTC.
func (s *Reader) Now() time.Time { return s.now() }

// readable is those of a table's methods that read.
type readable struct {
	db  *dynamo.DB
	all dynamo.Table
}

// Get queries a partition of the table or of an index.
func (t readable) Get(name string, value any) *dynamo.Query { return t.all.Get(name, value) }

// Batch reads items by their keys.
func (t readable) Batch() *dynamo.BatchGet { return t.all.Batch(partitionKey, sortKey).Get() }

// Together reads items as they are at one moment.
func (t readable) Together() *dynamo.GetTx { return t.db.GetTx() }

// Scan reads the whole table.
func (t readable) Scan() *dynamo.Scan { return t.all.Scan() }
