package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// entryItem is a journal entry as stored.
type entryItem struct {
	key
	payments.Entry
}

// putEntry writes an entry, once: an entry is never changed.
func (s *Store) putEntry(t identity.Tenant, e payments.Entry) *dynamo.Put {
	return s.table.Put(entryItem{key: journalKey(t, e), Entry: e}).If("attribute_not_exists(pk)")
}

// Entries are the journal's entries for a transaction, consistently.
func (s *Store) Entries(ctx context.Context, t identity.Tenant, tx payments.Transaction) ([]payments.Entry, error) {
	var items []entryItem
	err := s.table.Get(partitionKey, journalKey(t, payments.Entry{Code: tx.Code}).PK).Consistent(true).All(ctx, &items)
	var entries []payments.Entry
	for _, item := range items {
		if item.TransactionID == tx.ID {
			entries = append(entries, item.Entry)
		}
	}
	return entries, err
}
