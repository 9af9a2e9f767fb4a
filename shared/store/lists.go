package store

import (
	"context"
	"iter"
	"slices"

	"github.com/guregu/dynamo/v2"
)

// each yields the items that an iterator reads. An error ends it.
func each[T any](ctx context.Context, items dynamo.Iter) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			var item T
			if !items.Next(ctx, &item) {
				break
			}
			if !yield(item, nil) {
				return
			}
		}
		if err := items.Err(); err != nil {
			var none T
			yield(none, err)
		}
	}
}

func find[T any](all []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return found, false
}

// readFirst reads the first results of a query that pass its filter. The library's own Limit would also call
// DescribeTable, which no function may call.
func readFirst[T any](ctx context.Context, query *dynamo.Query, limit int) ([]T, error) {
	var found []T
	results := query.Iter()
	for len(found) < limit {
		var item T
		if !results.Next(ctx, &item) {
			break
		}
		found = append(found, item)
	}
	return found, results.Err()
}
