package transactions

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxChanges is the number of changed items up to which the index of changes answers changes_since. Their keys are read
// for each page: at most 5,000 of some 300 bytes, which is 190 units, and as many payout records, which is 500 units.
const maxChanges = 5000

// historyWalk walks a range of the history. The first query is sized for first entries; there are at most most.
type historyWalk func(ctx context.Context, r store.Range, first, most int) iter.Seq2[store.HistoryEntry, error]

// findChanges returns the walk through the entries that the page may show, and the plan of the walk. With changes_since
// the walk has the changed items that the index of changes finds. If that index cannot tell them, it has all items.
func (f family) findChanges(ctx context.Context, p historyPlan, span store.Range) (historyWalk, historyPlan, error) {
	t, shards := rest.Caller(ctx).Tenant, rest.Merchant(ctx).ShardCount()
	if since := p.filter.ChangesSince; since != nil {
		changes, ok, err := f.store.ChangesSince(ctx, t, shards, span, *since, f.limits.Changes)
		if err != nil {
			return nil, p, err
		}
		if ok {
			p.found, p.changes = true, changes.Count()
			return changes.History, p, nil
		}
	}
	return func(ctx context.Context, r store.Range, first, most int) iter.Seq2[store.HistoryEntry, error] {
		return f.store.History(ctx, t, shards, r, first, most)
	}, p, nil
}

// mayShow returns true if the page has to read the entry's item. The entry of a payout record has no attributes of
// filters.
func (p historyPlan) mayShow(e store.HistoryEntry) bool {
	if e.FromRecord {
		return true
	}
	return p.filter.MayMatch(e.HistoryEntry) && (e.Creator == nil || p.caller.Sees(*e.Creator))
}
