package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"
)

// deletion is kept of what was deleted, as long as a request may be repeated (contract §2.8): a repeated
// deletion finds that it is done, and a repeated creation does not make the same again.
type deletion struct {
	key
	Operation string `dynamo:"operation"` // that deleted it
	ExpiresAt int64  `dynamo:"expires_at"`
}

func newDeletion(k key, operation string, now time.Time) deletion {
	return deletion{key: k, Operation: operation, ExpiresAt: now.Add(idempotencyKept).Unix()}
}

// putDeletion keeps a thing as it was when the operation deleted it. The caller has removed its secrets: hashes of
// tokens and passwords.
func (s *Store) putDeletion(k key, operation string, was any) *dynamo.Put {
	return s.table.Put(deletedItem{newDeletion(k, operation, s.now()), was})
}

// deletedItem is a deletion with the thing as it was.
type deletedItem struct {
	deletion
	was any
}

// MarshalDynamoItem writes the attributes of both into one item.
func (i deletedItem) MarshalDynamoItem() (dynamo.Item, error) {
	return mergeAttributes(i.was, i.deletion)
}

// checkDeletedBy fails with missing unless the operation wrote the deletion. "" is any operation.
func (s *View) checkDeletedBy(ctx context.Context, k key, operation string, missing error) error {
	item, err := readOne[deletion](ctx, s, k, missing)
	if err == nil && operation != "" && item.Operation != operation {
		return missing
	}
	return err
}

// creationCount is replaced over its version by each creation in a list with a limit, so that of two at once the second
// fails, and counts what the first has made when it retries.
type creationCount struct {
	Version int `dynamo:"version"`
}

// next returns the count as a creation stores it.
func (c creationCount) next(k key) storedItem {
	c.Version++
	return storedItem{key: k, value: c, version: c.Version}
}
