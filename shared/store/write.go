package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"
)

// ErrStale reports that the item changed since it was read, and that nothing was written. The caller reads the item and
// decides again (see Retry).
var ErrStale = errors.New("store: the item changed meanwhile")

// written identifies one write of an item.
type written struct {
	WriteID string `dynamo:"write_id"` // lets the writer recognise its own last write
	Version int    `dynamo:"version"`  // raised by each write
}

// storedItem is a value as stored, with the attributes that the table needs.
type storedItem struct {
	key
	due
	changed
	WriteID string    `dynamo:"write_id,omitempty"`            // lets the writer recognise this write
	TTL     time.Time `dynamo:"expires_at,unixtime,omitempty"` // zero: the item does not expire
	value   any
	version int // of the value, from 1
}

// newItem returns a version of a value, to be written under the key.
func newItem(k key, value any, version int) storedItem {
	return storedItem{key: k, WriteID: newWriteID(), value: value, version: version}
}

// MarshalDynamoItem writes the attributes of the value and of the table into one item.
func (i storedItem) MarshalDynamoItem() (dynamo.Item, error) {
	type ofTable storedItem
	return mergeAttributes(i.value, ofTable(i))
}

// mergeAttributes writes the attributes of several values into one item. It returns an error if two values have the
// same attribute.
func mergeAttributes(values ...any) (dynamo.Item, error) {
	all := dynamo.Item{}
	for _, value := range values {
		attributes, err := dynamo.MarshalItem(value)
		if err != nil {
			return nil, err
		}
		for name, attribute := range attributes {
			if _, taken := all[name]; taken {
				return nil, fmt.Errorf("store: %T has the attribute %q, which another part of its item has", value, name)
			}
			all[name] = attribute
		}
	}
	return all, nil
}

// newWriteID returns a random UUID in 22 characters.
func newWriteID() string {
	id := uuid.New()
	return base64.RawURLEncoding.EncodeToString(id[:])
}

func (s *Store) remove(k key) *dynamo.Delete {
	return s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK)
}

func (s *Store) update(k key) *dynamo.Update {
	return s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK)
}

func (s *Store) check(k key) *dynamo.ConditionCheck {
	return s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK)
}

// replace returns a put of an item that requires the version before the item's own to be stored. Version 1 requires
// that there is no item.
func (s *Store) replace(i storedItem) *dynamo.Put {
	if i.version == 1 {
		return s.table.Put(i).If("attribute_not_exists(pk)")
	}
	return s.table.Put(i).If("version = ?", i.version-1)
}

// save replaces an item. Error: ErrStale when another write of the item was faster.
func (s *Store) save(ctx context.Context, i storedItem) error {
	return s.resolve(ctx, i, ErrStale, s.replace(i).Run(ctx))
}

// resolve is resolveWrite for the write of an item.
func (s *Store) resolve(ctx context.Context, i storedItem, refused, err error) error {
	return s.resolveWrite(ctx, i.key, written{i.WriteID, i.version}, refused, err)
}

// ifRefused returns instead if a condition of the write was not met. Otherwise it returns the error of the write.
func ifRefused(err, instead error) error {
	if dynamo.IsCondCheckFailed(err) {
		return instead
	}
	return err
}

// resolveWrite explains an error of a write. It returns nil if the item shows that the write was applied and only its
// reply was lost. It returns ErrStale if another write was faster. If the item is as it was read but another condition
// failed, it returns the error refused, if one is given.
func (s *Store) resolveWrite(ctx context.Context, k key, mine written, refused, err error) error {
	if err == nil {
		return nil
	}
	var stored written
	readErr := s.get(k).One(ctx, &stored)
	switch {
	case readErr != nil && !errors.Is(readErr, dynamo.ErrNotFound):
		return errors.Join(err, readErr)
	case mine.WriteID != "" && stored.WriteID == mine.WriteID:
		return nil
	case stored.Version >= mine.Version:
		return ErrStale
	case refused != nil && dynamo.IsCondCheckFailed(err):
		return refused
	default:
		return err
	}
}

// resolveCreation returns the stored thing if this or an earlier try of the operation stored it. Errors: ErrStale when
// a condition failed and nothing is stored; the error of the transaction.
func resolveCreation[T any](added T, err error, stored func() (T, bool, error)) (T, error) {
	if err == nil {
		return added, nil
	}
	made, found, readErr := stored()
	switch {
	case readErr != nil:
		return added, errors.Join(err, readErr)
	case found:
		return made, nil
	default:
		return added, ifRefused(err, ErrStale)
	}
}
