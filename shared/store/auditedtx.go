package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// auditedTx is a transaction that changes data of a merchant and adds the entries of the change to the merchant's
// audit. It keeps the first error of the added parts, and then writes nothing.
type auditedTx struct {
	*dynamo.WriteTx
	store *Store
	by    audit.By
	err   error
}

func (s *Store) newAuditedTx(by audit.By) *auditedTx {
	return &auditedTx{WriteTx: s.db.WriteTx().Idempotent(true), store: s, by: by}
}

// audit adds the entry of a change. before and after are views as in audit.Change. The tenant's mode is "" for a change
// of the merchant or of both modes.
func (tx *auditedTx) audit(t identity.Tenant, subject string, before, after any) {
	e, err := audit.New(tx.by, tx.store.Now(), audit.Change{Mode: t.Mode, Subject: subject, Before: before, After: after})
	tx.fail(err)
	// An entry is never changed.
	tx.Put(tx.store.table.Put(storedItem{key: auditKey(t.Merchant, e), value: e}).If("attribute_not_exists(pk)"))
}

func (tx *auditedTx) fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// Run writes the transaction. It hides the Run method of dynamo.WriteTx, which would ignore the kept error.
func (tx *auditedTx) Run(ctx context.Context) error {
	if tx.err != nil {
		return tx.err
	}
	return tx.WriteTx.Run(ctx)
}

// runReplacement writes the transaction, which replaces the item. Errors: those of resolveWrite; the kept error.
func (tx *auditedTx) runReplacement(ctx context.Context, i storedItem, refused error) error {
	if tx.err != nil {
		return tx.err
	}
	return tx.store.resolve(ctx, i, refused, tx.Run(ctx))
}

// runCreation writes the transaction, which adds a thing, and returns the thing. Errors: those of resolveCreation; the
// kept error.
func runCreation[T any](ctx context.Context, tx *auditedTx, added T, stored func() (T, bool, error)) (T, error) {
	if tx.err != nil {
		return added, tx.err
	}
	return resolveCreation(added, tx.Run(ctx), stored)
}

// runRemoval writes the transaction, which deletes the item with the key. version is the version of the item as read,
// or 0 for an item without versions. Errors: ErrStale when the item changed or is gone; refused when another condition
// failed; the kept error.
func (tx *auditedTx) runRemoval(ctx context.Context, k key, version int, refused error) error {
	err := tx.Run(ctx)
	if err == nil || tx.err != nil {
		return err
	}
	now, readErr := readOne[written](ctx, tx.store.View, k, ErrStale)
	switch {
	case errors.Is(readErr, ErrStale) || readErr == nil && now.Version != version:
		return ErrStale
	case readErr != nil:
		return errors.Join(err, readErr)
	default:
		return ifRefused(err, refused)
	}
}
