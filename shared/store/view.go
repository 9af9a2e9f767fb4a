package store

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// View reads the table and cannot write to it. It is safe for concurrent use.
type View struct {
	table  readOnlyTable
	now    func() time.Time
	shards dueShards
	busyAt int

	birth atomic.Pointer[time.Time] // of the index of changes, once a read has found it
}

// Now returns the time of the store's clock, in UTC. Its milliseconds are as precise as the times that clients see, and
// take six bytes less in an item than nanoseconds.
func (s *View) Now() time.Time { return s.now() }

// DueShards returns the number of partitions of the due index.
func (s *View) DueShards() int { return int(s.shards) }

// readOnlyTable has the methods of a table that read.
type readOnlyTable struct {
	db  *dynamo.DB
	all dynamo.Table
}

// get queries a partition of the table or of an index.
func (t readOnlyTable) get(name string, value any) *dynamo.Query { return t.all.Get(name, value) }

func (t readOnlyTable) batch() *dynamo.BatchGet { return t.all.Batch(partitionKey, sortKey).Get() }

const (
	fewTries = 3
	fewPause = 50 * time.Millisecond // before the second try, twice that before the third
)

// errThrottled reports that the table did not read all keys of a batch.
var errThrottled = errors.New("store: the table left keys of a batch unread")

// readFew reads a few items of different types in one consistent call, each into the target for its key. The target of
// a missing item stays unchanged. While keys are throttled, readFew reads all of them again, but only as often as the
// SDK repeats a throttled read. The library's Batch would go on until the request's time is up.
func (s *View) readFew(ctx context.Context, into map[key]any) error {
	var few []dynamo.Item
	for _, k := range sortedKeys(into) {
		few = append(few, k.item())
	}
	t := s.table
	wanted := map[string]types.KeysAndAttributes{t.all.Name(): {ConsistentRead: aws.Bool(true), Keys: few}}
	for try := range fewTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(try) * fewPause):
			}
		}
		out, err := t.db.Client().BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: wanted})
		if err != nil {
			return err
		}
		if len(out.UnprocessedKeys) == 0 {
			return decode(out.Responses[t.all.Name()], into)
		}
	}
	return errThrottled
}

// newGetTx returns a transaction that reads several items as of one moment.
func (t readOnlyTable) newGetTx() *dynamo.GetTx { return t.db.GetTx() }

func (t readOnlyTable) scan() *dynamo.Scan { return t.all.Scan() }
