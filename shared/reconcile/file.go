package reconcile

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// filesAtOnce is how many files are kept until their entries are read, in one batch.
const filesAtOnce = 100

// EntryMissing is the break of a file whose object has no entry. From there on nothing leads to the object, so the
// function files, which compares entries with files and objects, cannot find it.
const EntryMissing = BreakKind(file.EntryMissing)

// segment reads a part of the table.
func (r *run) segment(ctx context.Context, all iter.Seq2[store.ReconciledItem, error]) error {
	var files []store.ReconciledItem
	for a, err := range all {
		if err != nil {
			return err
		}
		if a.File == nil {
			r.note(a)
			continue
		}
		if files = append(files, a); len(files) == filesAtOnce {
			if err := r.checkFiles(ctx, files); err != nil {
				return err
			}
			files = files[:0]
		}
	}
	return r.checkFiles(ctx, files)
}

// checkFiles finds files without an entry. The entry is read after the file, and then the file again: a file that is
// there both times had none in between.
func (r *run) checkFiles(ctx context.Context, files []store.ReconciledItem) error {
	wanted := make([]file.File, len(files))
	for i, a := range files {
		wanted[i] = *a.File
	}
	entries, err := r.Store.EntriesOf(ctx, wanted)
	if err != nil {
		return err
	}
	for _, a := range files {
		if _, ok := entries[a.File.Object]; ok {
			continue
		}
		again, err := r.Store.File(ctx, a.Tenant, a.File.ID)
		switch {
		case failure.Is(err, failure.KindNotFound):
		case err != nil:
			return err
		case again.Object == a.File.Object:
			r.addFileBreak(a)
		}
	}
	r.matcher.mu.Lock()
	defer r.matcher.mu.Unlock()
	r.report.Files += len(files)
	return nil
}

func (r *run) addFileBreak(a store.ReconciledItem) {
	r.matcher.mu.Lock()
	defer r.matcher.mu.Unlock()
	r.addBreak(Break{a.Tenant.String(), EntryMissing, a.File.ID, "its object has no entry: " + a.File.Object})
}
