package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// get returns a consistent query of one item.
func (s *View) get(k key) *dynamo.Query {
	return s.table.get(partitionKey, k.PK).Range(sortKey, dynamo.Equal, k.SK).Consistent(true)
}

// prefixed returns a consistent query of the items of a partition whose sort keys begin with the prefix.
func (s *View) prefixed(partition, prefix string) *dynamo.Query {
	return s.table.get(partitionKey, partition).Range(sortKey, dynamo.BeginsWith, prefix).Consistent(true)
}

// readOne reads one item into a T, consistently. If the item does not exist, it returns the zero value and missing,
// which may be nil.
func readOne[T any](ctx context.Context, s *View, k key, missing error) (T, error) {
	var item T
	err := s.get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = missing
	}
	return item, err
}

// ignoreNotFound returns the error, or nil for a failure of kind NotFound.
func ignoreNotFound(err error) error {
	if failure.Is(err, failure.KindNotFound) {
		return nil
	}
	return err
}

// readInto reads items of different types in one batch, consistently, each into the target for its key. The target of a
// missing item stays unchanged.
func (s *View) readInto(ctx context.Context, into map[key]any) error {
	var found []dynamo.Item
	if err := s.readBatch(ctx, sortedKeys(into), true, &found); err != nil {
		return err
	}
	return decode(found, into)
}

// decode reads each item into the target for its key.
func decode(items []dynamo.Item, into map[key]any) error {
	for _, item := range items {
		var k key
		if err := dynamo.UnmarshalItem(item, &k); err != nil {
			return err
		}
		if err := dynamo.UnmarshalItem(item, into[k]); err != nil {
			return err
		}
	}
	return nil
}

// readBatch reads items by their keys into a slice, each once, without missing items. An inconsistent read may also
// miss items that were written a moment ago.
func (s *View) readBatch(ctx context.Context, wanted []key, consistent bool, items any) error {
	if len(wanted) == 0 {
		return nil
	}
	batch, asked := s.table.batch().Consistent(consistent), map[key]bool{}
	for _, k := range wanted {
		if !asked[k] {
			batch.And(dynamo.Keys{k.PK, k.SK})
		}
		asked[k] = true
	}
	err := batch.All(ctx, items)
	if errors.Is(err, dynamo.ErrNotFound) { // none of them exists
		return nil
	}
	return err
}

// readIndexed reads items by their keys into a map. The function "of" returns the map key and the value for an item.
// Missing items are left out.
func readIndexed[K comparable, I, V any](ctx context.Context, s *View, wanted []key, consistent bool,
	of func(I) (K, V)) (map[K]V, error) {
	var items []I
	err := s.readBatch(ctx, wanted, consistent, &items)
	found := make(map[K]V, len(items))
	for _, item := range items {
		name, value := of(item)
		found[name] = value
	}
	return found, err
}

// readInOrder reads items by their keys, and returns them in the order of the keys. Missing items are left out.
func readInOrder[I, V any](ctx context.Context, s *View, wanted []key, consistent bool,
	of func(I) (key, V)) ([]V, error) {
	found, err := readIndexed(ctx, s, wanted, consistent, of)
	all := make([]V, 0, len(wanted))
	for _, k := range wanted {
		if value, ok := found[k]; ok {
			all = append(all, value)
		}
	}
	return all, err
}

// sortedKeys returns the keys in the order that every read uses.
func sortedKeys(into map[key]any) []key { return slices.SortedFunc(maps.Keys(into), key.compare) }
