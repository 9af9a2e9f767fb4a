package store

import (
	"context"

	"github.com/guregu/dynamo/v2"
)

// first reads a query's first results that pass its filter. The library's own
// Limit, on a query with a filter, also calls DescribeTable, which no function
// has permission for.
func first[T any](ctx context.Context, query *dynamo.Query, limit int) ([]T, error) {
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
