package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"
)

// deletion records what was deleted, for as long as a request may be repeated (contract §2.8). A repeated deletion
// finds that it is done, and a repeated creation does not create the same thing again.
type deletion struct {
	key
	Operation string `dynamo:"operation"` // that deleted it
	ExpiresAt int64  `dynamo:"expires_at"`
}

func newDeletion(k key, operation string, now time.Time) deletion {
	return deletion{key: k, Operation: operation, ExpiresAt: now.Add(idempotencyKept).Unix()}
}

// putDeletion returns the put that keeps a deleted thing as it was. The caller has removed the secrets: hashes of
// tokens and passwords.
func (s *Store) putDeletion(k key, operation string, was any) *dynamo.Put {
	return s.table.Put(deletedItem{newDeletion(k, operation, s.now()), was})
}

// deletedItem is a deletion together with the thing as it was.
type deletedItem struct {
	deletion
	was any
}

// MarshalDynamoItem writes the attributes of both into one item.
func (i deletedItem) MarshalDynamoItem() (dynamo.Item, error) {
	return mergeAttributes(i.was, i.deletion)
}

// checkDeletedBy returns missing unless the operation wrote the deletion. "" matches any operation.
func (s *View) checkDeletedBy(ctx context.Context, k key, operation string, missing error) error {
	item, err := readOne[deletion](ctx, s, k, missing)
	if err == nil && operation != "" && item.Operation != operation {
		return missing
	}
	return err
}

// Each creation in a limited list replaces the list's creationCount under its version. So the second of two concurrent
// creations fails, and counts the first when it retries.
type creationCount struct {
	Version int `dynamo:"version"`
}

// next returns the count as a creation stores it.
func (c creationCount) next(k key) storedItem {
	c.Version++
	return storedItem{key: k, value: c, version: c.Version}
}
