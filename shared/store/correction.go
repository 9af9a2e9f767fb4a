package store

import (
	"context"
	"errors"
	"slices"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// errOtherCorrection is the failure for a known id of a correction with another settlement or other amounts.
var errOtherCorrection = failure.Conflict("The correction with this id has another settlement or other amounts.")

// correctionKey returns the key of an item that takes the id of a correction, so that each id corrects one settlement.
func correctionKey(t identity.Tenant, id string) key {
	return key{KindProven.of(t), "CORRECTION#" + bounded(id)}
}

// CorrectSettlement records an operator's correction once: its entry, and the audit entry with the given view. The next
// night then proves the settlement. A repeated call only reopens the settlement. Errors: audit.ErrNobody; failure
// Conflict if the tenant has a correction with the same id but another settlement or other postings.
func (s *Store) CorrectSettlement(ctx context.Context, by audit.By, t identity.Tenant, e ledger.Entry, view any) error {
	if err := by.Check(); err != nil {
		return err
	}
	if err := s.ListTenant(ctx, t); err != nil {
		return err
	}
	tx := s.newAuditedTx(by)
	taken := storedItem{key: correctionKey(t, e.ID), value: struct{}{}}
	tx.Put(s.table.Put(taken).If("attribute_not_exists(pk)"))
	tx.Put(s.putEntry(t, e))
	tx.Update(s.reopening(t, e.About.ID))
	tx.audit(t, "settlement "+e.About.ID, nil, view)
	repeated := false
	stored, err := runCreation(ctx, tx, e, func() (ledger.Entry, bool, error) {
		entries, err := s.Entries(ctx, t, e.About)
		known, ok := find(entries, func(known ledger.Entry) bool { return known.Kind == e.Kind && known.ID == e.ID })
		repeated = ok
		return known, ok, err
	})
	switch {
	case errors.Is(err, ErrStale): // the id is taken, but not by this settlement
		return errOtherCorrection
	case err != nil:
		return err
	case !slices.Equal(stored.Postings, e.Postings):
		return errOtherCorrection
	case repeated:
		return s.Reopen(ctx, t, e.About.ID)
	default:
		return nil
	}
}
