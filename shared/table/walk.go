package table

import (
	"context"
	"iter"

	"github.com/guregu/dynamo/v2"
)

// Items are those that a query or a scan finds.
type Items interface{ Iter() dynamo.PagingIter }

// Walk reads items page by page and converts each with line. Ranging over it
// again reads again. What is written during the walk may be missing. An error
// ends it.
func Walk[I, T any](ctx context.Context, items Items, line func(I) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		pages := items.Iter()
		for {
			var item I // a new one: attributes missing from the next item would stay
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
