package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// listedFile is a file's entry in the list, with the attributes that lists are filtered by. It is small, so that one
// query reads the entries of all of a tenant's files.
type listedFile struct {
	key
	Status     file.Status `dynamo:"status"`
	Collection string      `dynamo:"collection_id,omitempty"`
}

func newListedFile(t identity.Tenant, f file.File) listedFile {
	return listedFile{listedKey(t, listedFilePrefix, f.CreatedAt, f.ID), f.Status, f.Collection}
}

// limitedCount counts a tenant's files or collections. Each creation adds to the count if it is below the limit.
type limitedCount struct {
	key
	Count int `dynamo:"count"`
}

// Failures of files (contract §8.3).
var (
	errNoFile           = failure.NotFound("There is no such file.")
	errTooManyFiles     = failure.Conflict("The merchant has as many files as it can have.")
	errNotItsCollection = failure.Invalid("collection_id", "must be a collection of the merchant")
)

// File reads a file, consistently. Failure: NotFound.
func (s *View) File(ctx context.Context, t identity.Tenant, id string) (file.File, error) {
	return readOne[file.File](ctx, s, fileKey(t, id), errNoFile)
}

// FileFilter selects the files of a list. "" matches any value.
type FileFilter struct {
	Status     file.Status
	Collection string
}

func (f FileFilter) matches(l listedFile) bool {
	return (f.Status == "" || f.Status == l.Status) && (f.Collection == "" || f.Collection == l.Collection)
}

// Files returns a page of the tenant's files that match the filter, in the order of creation, and the number of all
// such files. It reads consistently, in one query and one batch for the page. A file that is deleted meanwhile is left
// out.
func (s *View) Files(ctx context.Context, t identity.Tenant, filter FileFilter, offset, limit int) ([]file.File, int,
	error) {
	var listed []listedFile
	if err := s.readListed(ctx, t, listedFilePrefix, file.MaxFiles, &listed); err != nil {
		return nil, 0, err
	}
	var wanted []key
	for _, l := range listed {
		if filter.matches(l) {
			wanted = append(wanted, fileKey(t, l.listedID()))
		}
	}
	files, err := readInOrder(ctx, s, pageOf(wanted, offset, limit), true,
		func(f file.File) (key, file.File) { return fileKey(t, f.ID), f })
	return files, len(wanted), err
}

// CreateFile stores a new file with the entry of its object. The id follows from the operation. If a file with the id
// is already stored, CreateFile returns that file, even a deleted one, unless the operation's Idempotency-Key has
// expired since. Failures: Invalid collection_id for an unknown collection; Conflict when the collection is not open,
// or at file.MaxFiles.
func (s *Store) CreateFile(ctx context.Context, by audit.By, t identity.Tenant, f file.File) (file.File, error) {
	return Retry(func(bool) (file.File, error) {
		c, err := s.readCreation(ctx, t, f)
		switch {
		case err != nil || c.made.ID != "":
			return c.made, err
		case c.count.Count >= file.MaxFiles:
			return f, errTooManyFiles
		}
		if err := c.found.checkTakes(f.Collection); err != nil {
			return f, err
		}
		return s.addFile(ctx, by, t, f, c.formerly)
	})
}

// creation holds the stored data that decides whether a file may be created.
type creation struct {
	made     file.File    // the file as stored, even if deleted since; zero if never stored
	formerly deletedFile  // a deleted file of the same id whose Idempotency-Key has expired, or zero
	count    limitedCount // of the tenant's files
	found    collections  // the file's collection
}

func (s *View) readCreation(ctx context.Context, t identity.Tenant, f file.File) (creation, error) {
	var stored file.File
	var deleted deletedFile
	var c creation
	into := map[key]any{fileKey(t, f.ID): &stored, deletionKey(KindFiles, t, f.ID): &deleted, fileCountKey(t): &c.count}
	c.found = wantCollections(into, t, f.Collection)
	err := s.readInto(ctx, into)
	switch {
	case stored.ID != "":
		c.made = stored
	case deleted.idempotencyExpired(s.now()):
		c.formerly = deleted
	default:
		c.made = deleted.File
	}
	return c, err
}

// addFile errors with ErrStale when, since the reads, the collection changed, the last free place was taken, or the
// same file was stored.
func (s *Store) addFile(ctx context.Context, by audit.By, t identity.Tenant, f file.File,
	formerly deletedFile) (file.File, error) {
	f.Version = 1
	entry := f.Entry(t)
	entry.Version = 1
	tx := s.newAuditedTx(by)
	tx.Update(s.incrementCount(fileCountKey(t), file.MaxFiles)).
		Put(s.replace(newItem(fileKey(t, f.ID), f, f.Version))).
		Put(s.table.Put(newListedFile(t, f))).
		Put(s.replace(s.objectItem(entry))).
		Check(s.formerDeletionCondition(t, f.ID, formerly))
	if f.Collection != "" {
		tx.Update(s.fillCollection(t, f.Collection))
	}
	tx.audit(t, subjectFile(f), nil, f.ForAudit())
	return runCreation(ctx, tx, f, func() (file.File, bool, error) {
		c, err := s.readCreation(ctx, t, f)
		return c.made, c.made.ID != "", err
	})
}

// formerDeletionCondition returns the condition that no file with the id was deleted, apart from the former file. So a
// write that arrives late cannot bring back a file that was deleted meanwhile.
func (s *Store) formerDeletionCondition(t identity.Tenant, id string, formerly deletedFile) *dynamo.ConditionCheck {
	check := s.check(deletionKey(KindFiles, t, id))
	if formerly.ID == "" {
		return check.If("attribute_not_exists(pk)")
	}
	return check.If("'operation' = ?", formerly.Operation)
}

func subjectFile(f file.File) string { return "file " + f.ID }

// UpdateFile applies a change that completes a file, moves it to another collection, or both. Failures: NotFound;
// Invalid collection_id for an unknown collection; Conflict when the new one is not open or the old one is archived.
func (s *Store) UpdateFile(ctx context.Context, by audit.By, t identity.Tenant, id string,
	change func(file.File) (file.File, error)) (file.File, error) {
	return Retry(func(bool) (file.File, error) {
		before, err := s.File(ctx, t, id)
		if err != nil {
			return before, err
		}
		after, err := change(before)
		if err != nil || after == before {
			return before, err
		}
		entry, found, err := s.readRelated(ctx, t, before, after)
		if err == nil {
			err = found.checkMove(before.Collection, after.Collection)
		}
		if err != nil {
			return before, err
		}
		return s.replaceFile(ctx, by, t, before, after, entry)
	})
}

// readRelated reads the items that change with a file: the entry of its object, and its collections before and after.
func (s *View) readRelated(ctx context.Context, t identity.Tenant, before, after file.File) (file.Entry, collections,
	error) {
	var entry file.Entry
	into := map[key]any{objectKey(before.Object): &entry}
	found := wantCollections(into, t, before.Collection, after.Collection)
	err := s.readInto(ctx, into)
	if entry.File == "" { // the entry was removed; it is created again
		return before.Entry(t), found, err
	}
	entry.Key = before.Object
	return entry, found, err
}

// replaceFile errors with ErrStale when the file or one of its collections changed since the reads.
func (s *Store) replaceFile(ctx context.Context, by audit.By, t identity.Tenant, before, after file.File,
	entry file.Entry) (file.File, error) {
	after.Version = before.Version + 1
	item := newItem(fileKey(t, after.ID), after, after.Version)
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item)).Put(s.table.Put(newListedFile(t, after)))
	if after.Status != before.Status {
		tx.Put(s.replace(s.nextObjectItem(entry.Follow(after))))
	}
	switch {
	case after.Collection != before.Collection:
		if before.Collection != "" {
			tx.Update(s.drainCollection(t, before.Collection).If("'status' <> ?", file.Archived))
		}
		if after.Collection != "" {
			tx.Update(s.fillCollection(t, after.Collection))
		}
	case after.Collection != "":
		tx.Check(s.check(collectionKey(t, after.Collection)).If("'status' = ?", file.Open))
	}
	tx.audit(t, subjectFile(after), before.ForAudit(), after.ForAudit())
	return after, tx.runReplacement(ctx, item, ErrStale)
}
