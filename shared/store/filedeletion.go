package store

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// deletedFile records a deletion, with the file as it was.
type deletedFile struct {
	deletion
	Reason string `dynamo:"reason,omitempty"` // why the file was dropped
	file.File
}

// idempotencyExpired returns true if the creation of the file can no longer be repeated, because its Idempotency-Key
// has expired (contract §2.8). The key may then serve another request.
func (d deletedFile) idempotencyExpired(now time.Time) bool {
	return d.ID != "" && !now.Before(d.CreatedAt.Add(idempotencyKept))
}

// ErrNotPending reports that a file was not dropped because it was uploaded meanwhile.
var ErrNotPending = errors.New("store: the file is not pending")

// ending describes how an operation ends a file.
type ending struct {
	operation string
	reason    string // shown to people; "" if the file is not dropped, or was not uploaded in time
	dropped   bool   // also out of an archived collection; a deletion leaves such a collection unchanged
}

// checkAllowed checks that the file may end this way. Error: ErrNotPending. Failure: Conflict.
func (e ending) checkAllowed(f file.File, found collections) error {
	switch {
	case !e.dropped:
		return found.checkGives(f.Collection)
	case f.Status != file.Pending:
		return ErrNotPending
	default:
		return nil
	}
}

// DeleteFile deletes a file and dooms its object, which is deleted later. It returns the file as it was before the
// deletion. The same operation may be repeated, and returns the same file. Failures: NotFound; Conflict when the
// collection is archived; ErrContended.
func (s *Store) DeleteFile(ctx context.Context, by audit.By, t identity.Tenant, id, operation string) (file.File,
	error) {
	return s.endFile(ctx, by, t, id, ending{operation: operation})
}

// DropFile deletes a pending file, even out of an archived collection. The caller drops a file because its content is
// not as declared, or because it was not uploaded in time. In the first case reason is the text that people are shown.
// In the second case reason is "". Error: ErrNotPending. Failure: NotFound.
func (s *Store) DropFile(ctx context.Context, by audit.By, t identity.Tenant, id, operation, reason string) (file.File,
	error) {
	return s.endFile(ctx, by, t, id, ending{operation: operation, reason: reason, dropped: true})
}

// DroppedFile returns the file that the operation dropped, as it was, and the reason. Failure: NotFound when the
// operation dropped no such file, or gave no reason.
func (s *View) DroppedFile(ctx context.Context, t identity.Tenant, id, operation string) (file.File, string, error) {
	item, err := readOne[deletedFile](ctx, s, deletionKey(KindFiles, t, id), errNoFile)
	if err == nil && (item.Operation != operation || item.Reason == "") {
		return file.File{}, "", errNoFile
	}
	return item.File, item.Reason, err
}

func (s *Store) endFile(ctx context.Context, by audit.By, t identity.Tenant, id string, end ending) (file.File, error) {
	return Retry(func(bool) (file.File, error) {
		f, deleted, err := s.readAnyFile(ctx, t, id)
		switch {
		case err != nil:
			return f, err
		case f.ID == "" && deleted.ID != "" && deleted.Operation == end.operation:
			return deleted.File, nil
		case f.ID == "":
			return f, errNoFile
		}
		entry, found, err := s.readRelated(ctx, t, f, f)
		if err == nil {
			err = end.checkAllowed(f, found)
		}
		if err != nil {
			return f, err
		}
		return f, s.removeFile(ctx, by, t, f, entry, end)
	})
}

// readAnyFile reads a file, and the record of a deleted one.
func (s *View) readAnyFile(ctx context.Context, t identity.Tenant, id string) (file.File, deletedFile, error) {
	var stored file.File
	var deleted deletedFile
	err := s.readInto(ctx, map[key]any{fileKey(t, id): &stored, deletionKey(KindFiles, t, id): &deleted})
	return stored, deleted, err
}

// removeFile errors with ErrStale when the file or its collection changed since the reads; the next try finds out
// which. The file counts against the limit until its object is gone (see removeObject).
func (s *Store) removeFile(ctx context.Context, by audit.By, t identity.Tenant, f file.File, entry file.Entry,
	end ending) error {
	deleted := deletedFile{newDeletion(deletionKey(KindFiles, t, f.ID), end.operation, s.now()), end.reason, f}
	tx := s.newAuditedTx(by)
	tx.Delete(s.remove(fileKey(t, f.ID)).If("version = ?", f.Version)).
		Delete(s.remove(newListedFile(t, f).key)).
		Put(s.table.Put(deleted)).
		Put(s.replace(s.nextObjectItem(entry.Doom(s.now()))))
	if f.Collection != "" {
		drain := s.drainCollection(t, f.Collection)
		if !end.dropped {
			drain.If("'status' <> ?", file.Archived)
		}
		tx.Update(drain)
	}
	tx.audit(t, subjectFile(f), f.ForAudit(), nil)
	return tx.runRemoval(ctx, fileKey(t, f.ID), f.Version, ErrStale)
}
