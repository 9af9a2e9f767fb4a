package reconcile

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// EntryMissing is the break of a file whose object has no entry. The Lambda function
// "files" cannot find such an object, because that function starts from the entries.
const EntryMissing = BreakKind(file.EntryMissing)

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
			r.addBreaks([]Break{{a.Tenant.String(), EntryMissing, a.File.ID, "its object has no entry: " + a.File.Object}})
		}
	}
	return nil
}
