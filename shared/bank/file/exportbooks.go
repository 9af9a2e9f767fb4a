package file

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"
)

// claimedAtOnce are taken into a file in one database transaction, of at most
// 100 items: two for each.
const claimedAtOnce = 50

func (b books) export(ctx context.Context, id string) (export, error) {
	var item exportItem
	k := exportKey(id)
	err := b.Get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return export{}, ErrUnknownExport
	}
	return item.export, err
}

// begin enters a file before it takes an order. For an id that is known it
// answers the file of old.
func (b books) begin(ctx context.Context, e export) (export, error) {
	cause := b.Transaction().
		Put(b.Table.Put(exportItem{exportKey(e.ID), e}).If("attribute_not_exists(pk)")).Run(ctx)
	if cause == nil {
		return e, nil
	}
	stored, err := b.export(ctx, e.ID)
	switch {
	case errors.Is(err, ErrUnknownExport):
		return export{}, cause
	case err != nil:
		return export{}, errors.Join(cause, err)
	default:
		return stored, nil
	}
}

// claim takes into the file whatever still waits of its orders.
func (b books) claim(ctx context.Context, e export) error {
	for ids := range slices.Chunk(e.Orders, claimedAtOnce) {
		if err := b.claimSome(ctx, e.ID, ids); err != nil {
			return err
		}
	}
	return nil
}

// claimSome takes those that wait together, and looks again when that failed:
// its own success ends it as well as another's; with no change it failed.
func (b books) claimSome(ctx context.Context, exportID string, ids []string) error {
	var cause error
	for tried := 0; ; {
		found, err := b.orders(ctx, ids)
		if err != nil {
			return errors.Join(cause, err)
		}
		tx, n := b.Transaction(), 0
		for _, id := range ids {
			if before := found[id]; before.Standing == waiting {
				after := before
				after.Standing, after.ExportID = exported, exportID
				b.step(tx, before, after)
				n++
			}
		}
		if n == 0 {
			return nil
		}
		if cause != nil && n == tried {
			return cause
		}
		if cause = tx.Run(ctx); cause == nil {
			return nil
		}
		tried = n
	}
}

// seal fixes what is in the file. For one that is sealed already it answers
// that.
func (b books) seal(ctx context.Context, e export) (export, error) {
	cause := b.Transaction().
		Put(b.Table.Put(exportItem{exportKey(e.ID), e}).If("attribute_not_exists(digest)")).Run(ctx)
	if cause == nil {
		return e, nil
	}
	stored, err := b.export(ctx, e.ID)
	switch {
	case err != nil:
		return export{}, errors.Join(cause, err)
	case !stored.sealed():
		return export{}, cause
	default:
		return stored, nil
	}
}
