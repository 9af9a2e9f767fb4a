package transactions

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxChanges is the number of changed items up to which the index of changes answers changes_since. Each page reads
// them: at most 5,000 entries of the index of some 300 bytes, which is 190 units, and 5,000 payout records of some 400
// bytes, which is 250 units. The largest page without changes_since costs 500.
const maxChanges = 5000

// historyWalk walks a range of the history, as store.View.History does.
type historyWalk func(ctx context.Context, r store.Range, first, most int) iter.Seq2[store.HistoryEntry, error]

// findChanges returns the walk through the entries that the page may show, and the plan of the walk. With changes_since
// the walk has the changed items that the index of changes finds. If that index cannot tell them, it has all items.
func (f family) findChanges(ctx context.Context, p historyPlan, span store.Range) (historyWalk, historyPlan, error) {
	t, shards := rest.Caller(ctx).Tenant, rest.Merchant(ctx).ShardCount()
	if since := p.filter.ChangesSince; since != nil {
		changes, err := f.store.ChangesSince(ctx, t, shards, span, *since, f.limits.Changes)
		if p.changes = changes; err != nil || changes.Found {
			return changes.History, p, err
		}
	}
	return func(ctx context.Context, r store.Range, first, most int) iter.Seq2[store.HistoryEntry, error] {
		return f.store.History(ctx, t, shards, r, first, most)
	}, p, nil
}

// mayShow returns true if the page has to read the entry's item. Of the attributes of filters, the entry of a payout
// record has only the type.
func (p historyPlan) mayShow(e store.HistoryEntry) bool {
	if e.FromRecord {
		return payments.HistoryFilter{Types: p.filter.Types}.MayMatch(e.HistoryEntry)
	}
	return p.filter.MayMatch(e.HistoryEntry) && (e.Creator == nil || p.caller.Sees(*e.Creator))
}
