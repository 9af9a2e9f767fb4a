package store

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// putEntry writes an entry once: an entry is never changed.
func (s *Store) putEntry(t identity.Tenant, e ledger.Entry) *dynamo.Put {
	return s.table.Put(storedItem{key: journalKey(t, e), value: e}).If("attribute_not_exists(pk)")
}

// Entries returns the journal's entries about a transaction, payout or settlement.
func (s *View) Entries(ctx context.Context, t identity.Tenant, about ledger.Reference) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	err := s.table.get(partitionKey, journalPartition(t, filedUnder(about))).Consistent(true).All(ctx, &entries)
	// Two transactions may share a code.
	return slices.DeleteFunc(entries, func(e ledger.Entry) bool { return e.About != about }), err
}
