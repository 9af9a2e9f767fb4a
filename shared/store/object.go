package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
)

// objectItem returns the entry of an object as stored. The entry is in the due index while the object needs work.
func (s *Store) objectItem(e file.Entry) storedItem {
	item := newItem(objectKey(e.Key), e, e.Version)
	if !e.DueAt.IsZero() { // the partitions alone are too few to spread over the index
		item.due = s.shards.dueAt(e.DueAt, key{PK: item.PK + "#" + item.SK})
	}
	return item
}

// nextObjectItem returns the next version of an entry as stored.
func (s *Store) nextObjectItem(e file.Entry) storedItem {
	e.Version++
	return s.objectItem(e)
}

type readEntry struct {
	key
	file.Entry
}

// entry returns the entry with the key of its object.
func (i readEntry) entry() file.Entry {
	i.Key = file.Prefix + i.SK
	return i.Entry
}

var errNoEntry = failure.NotFound("There is no entry of such an object.")

// ObjectEntry reads the entry of an object by the object's key, consistently. Failure: NotFound.
func (s *View) ObjectEntry(ctx context.Context, object string) (file.Entry, error) {
	item, err := readOne[readEntry](ctx, s, objectKey(object), errNoEntry)
	return item.entry(), err
}

// ObjectEntries walks the entries of a shard, consistently, in the order of the objects' keys. It begins after a key;
// "" begins at the first. An error ends the walk.
func (s *View) ObjectEntries(ctx context.Context, shard int, after string) iter.Seq2[file.Entry, error] {
	return func(yield func(file.Entry, error) bool) {
		query := s.table.get(partitionKey, objectPartition(shard)).Consistent(true)
		if after != "" {
			query.Range(sortKey, dynamo.Greater, file.ObjectID(after))
		}
		for item, err := range each[readEntry](ctx, query.Iter()) {
			if !yield(item.entry(), err) {
				return
			}
		}
	}
}

// FilesOf reads the files that entries of objects name, by the objects' keys. Missing files are left out.
func (s *View) FilesOf(ctx context.Context, entries []file.Entry) (map[string]file.File, error) {
	wanted := make([]key, len(entries))
	for i, e := range entries {
		wanted[i] = fileKey(e.Tenant, e.File)
	}
	return readIndexed(ctx, s, wanted, true, func(f file.File) (string, file.File) { return f.Object, f })
}

// EntriesOf reads the entries of files' objects, consistently, by the objects' keys. Missing entries are left out.
func (s *View) EntriesOf(ctx context.Context, files []file.File) (map[string]file.Entry, error) {
	wanted := make([]key, len(files))
	for i, f := range files {
		wanted[i] = objectKey(f.Object)
	}
	return readIndexed(ctx, s, wanted, true, func(i readEntry) (string, file.Entry) {
		e := i.entry()
		return e.Key, e
	})
}

// SaveObjectEntry replaces an entry that was read. Error: ErrStale when the entry changed meanwhile or is gone.
func (s *Store) SaveObjectEntry(ctx context.Context, e file.Entry) error {
	return s.save(ctx, s.nextObjectItem(e))
}

// ObjectDeleted records that a deletion of all versions of a doomed object has succeeded. at is the time when the
// deletion began. ObjectDeleted removes the entry, unless content could still be uploaded; then the object is deleted
// again later. The call may be repeated.
func (s *Store) ObjectDeleted(ctx context.Context, object string, at time.Time) error {
	return retryWrite(func(bool) error {
		e, err := s.ObjectEntry(ctx, object)
		switch {
		case failure.Is(err, failure.KindNotFound):
			return nil
		case err != nil || e.State != file.ObjectDoomed:
			return err
		}
		after, gone := e.Deleted(at)
		switch {
		case gone:
			return s.removeObject(ctx, e)
		case after.DueAt.Equal(e.DueAt):
			return nil
		default:
			return s.SaveObjectEntry(ctx, after)
		}
	})
}

// removeObject removes an entry that was read, and takes its file out of the count. It does so only now, because
// content counts against the limit until the content is gone. An entry that is already removed is no error. Error:
// ErrStale when the entry changed meanwhile.
func (s *Store) removeObject(ctx context.Context, e file.Entry) error {
	err := s.db.WriteTx().Idempotent(true).
		Delete(s.remove(objectKey(e.Key)).If("version = ?", e.Version)).
		Update(s.update(fileCountKey(e.Tenant)).Add("count", -1)).
		Run(ctx)
	if err == nil {
		return nil
	}
	_, readErr := s.ObjectEntry(ctx, e.Key)
	switch {
	case failure.Is(readErr, failure.KindNotFound):
		return nil
	case readErr != nil:
		return errors.Join(err, readErr)
	default:
		return ifRefused(err, ErrStale)
	}
}
