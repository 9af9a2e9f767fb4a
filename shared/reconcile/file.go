package reconcile

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// filesAtOnce is the number of files that are collected before one batch reads their entries.
const filesAtOnce = 100

// EntryMissing is the break of a file whose object has no entry. The Lambda function
// "files" cannot find such an object, because that function starts from the entries.
const EntryMissing = BreakKind(file.EntryMissing)

// noteSegment adds a part of the table to the matcher, and checks its files.
func (r *run) noteSegment(ctx context.Context, all iter.Seq2[store.ReconciledItem, error]) error {
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

// checkFiles finds files without an entry. It reads the entry after the file, and then the file again. If the file
// exists both times, it had no entry in between.
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
