package file

import (
	"context"
	"errors"
	"slices"

	"github.com/cashwrap/cashwrap/shared/table"
)

// claimedAtOnce is how many transfers are added to a file in one database
// transaction of at most 100 items, two for each.
const claimedAtOnce = 50

func (r records) export(ctx context.Context, id string) (export, error) {
	item, err := table.One[exportItem](ctx, r.Client, exportKey(id), ErrUnknownExport)
	return item.export, err
}

// begin stores a file that has no transfers yet. For a known id it returns the
// stored one.
func (r records) begin(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(pk)", nil)
}

// putExport stores a file under the condition, or returns the stored one, unless that is still open.
func (r records) putExport(ctx context.Context, e export, condition string, open func(exportItem) bool) (export, error) {
	item := exportItem{exportKey(e.ID), e}
	stored, err := table.Write(ctx, r.Client, item.Key, item, r.Transaction().Put(r.Table.Put(item).If(condition)).Run,
		open)
	return stored.export, err
}

// claim adds those of the file's transfers to it that still wait.
func (r records) claim(ctx context.Context, e export) error {
	for ids := range slices.Chunk(e.Transfers, claimedAtOnce) {
		if err := r.claimSome(ctx, e.ID, ids); err != nil {
			return err
		}
	}
	return nil
}

// claimSome adds those that wait in one transaction, and reads again if that
// failed: nothing is left to do once this or another call succeeded, and if
// nothing has changed it returns the error.
func (r records) claimSome(ctx context.Context, exportID string, ids []string) error {
	var cause error
	for tried := 0; ; {
		found, err := r.transfers(ctx, ids)
		if err != nil {
			return errors.Join(cause, err)
		}
		tx, n := r.Transaction(), 0
		for _, id := range ids {
			if before := found[id]; before.State == waiting {
				after := before
				after.State, after.ExportID = exported, exportID
				r.step(tx, before, after)
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

// seal fixes what is in the file. For a sealed file it returns the stored one.
func (r records) seal(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(digest)", func(i exportItem) bool { return !i.sealed() })
}
