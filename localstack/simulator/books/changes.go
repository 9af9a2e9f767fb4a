package books

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// everyNth of the times of a tenant's changes is checked.
const everyNth = 5

// CheckChanges compares the index of changes of a tenant with all items of the history. From the index's birth on, the
// index must find each item that changed.
func (b Snapshot) CheckChanges(t identity.Tenant) {
	ctx, s, most := context.Background(), b.OpenStore(), len(b.Items)
	m, err := s.Merchant(ctx, t.Merchant)
	b.Must(err)
	items := b.readHistory(s, s.History(ctx, t, m.ShardCount(), store.Range{}, most, most))
	byChange := slices.SortedFunc(slices.Values(items), func(x, y payments.HistoryItem) int {
		return x.UpdatedAt.Compare(y.UpdatedAt)
	})
	birth := b.birthOfChanges()
	for i := len(byChange) - 1; i >= 0; i -= everyNth {
		since := byChange[i].UpdatedAt
		changes, err := s.ChangesSince(ctx, t, m.ShardCount(), store.Range{}, since, most)
		b.Must(err)
		if known := !birth.IsZero() && !since.Before(birth); !changes.Found || !known {
			if changes.Found != known {
				b.Find("", "born %s, the index tells changes of %s since %s: %t", birth, t, since, changes.Found)
			}
			continue
		}
		found := b.readHistory(s, changes.History(ctx, store.Range{}, most, most))
		for _, item := range byChange[i:] {
			if !slices.ContainsFunc(found, func(f payments.HistoryItem) bool { return f.ID == item.ID }) {
				b.Find("", "%s of %s changed at %s, and is not found since %s", item.ID, t, item.UpdatedAt, since)
			}
		}
	}
}

func (b Snapshot) readHistory(s *store.Store, walk iter.Seq2[store.HistoryEntry, error]) []payments.HistoryItem {
	var entries []store.HistoryEntry
	for entry, err := range walk {
		b.Must(err)
		entries = append(entries, entry)
	}
	items, err := s.HistoryItems(context.Background(), entries)
	b.Must(err)
	return items
}

// birthOfChanges returns the recorded birth of the index of changes, or the zero time.
func (b Snapshot) birthOfChanges() time.Time {
	i := slices.IndexFunc(b.Items, func(i calls.Item) bool { return i.Kind() == store.KindBirth })
	if i < 0 {
		return time.Time{}
	}
	return b.Items[i].Time("at")
}
