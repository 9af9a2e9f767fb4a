package store

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// listedCollection is a collection's place in the list, with what lists are filtered by.
type listedCollection struct {
	key
	Status file.CollectionStatus `dynamo:"status"`
}

func newListedCollection(t identity.Tenant, c file.Collection) listedCollection {
	return listedCollection{listedKey(t, listedCollectionPrefix, c.CreatedAt, c.ID), c.Status}
}

// The failures of collections (contract §8.3).
var (
	errNoCollection       = failure.NotFound("There is no such collection.")
	errTooManyCollections = failure.Conflict("The merchant has as many collections as it can have.")
)

// Collection reads a collection, consistently. Failure: NotFound.
func (s *View) Collection(ctx context.Context, t identity.Tenant, id string) (file.Collection, error) {
	return readOne[file.Collection](ctx, s, collectionKey(t, id), errNoCollection)
}

// Collections are some of the tenant's collections that have one of the statuses, in the order of creation, and how
// many there are, consistently: one query, and one batch for the page.
func (s *View) Collections(ctx context.Context, t identity.Tenant, statuses []file.CollectionStatus, offset,
	limit int) ([]file.Collection, int, error) {
	var listed []listedCollection
	if err := s.readListed(ctx, t, listedCollectionPrefix, file.MaxCollections, &listed); err != nil {
		return nil, 0, err
	}
	var wanted []key
	for _, l := range listed {
		if slices.Contains(statuses, l.Status) {
			wanted = append(wanted, collectionKey(t, l.listedID()))
		}
	}
	all, err := readInOrder(ctx, s, pageOf(wanted, offset, limit), true,
		func(c file.Collection) (key, file.Collection) { return collectionKey(t, c.ID), c })
	return all, len(wanted), err
}

// readListed reads all listed files or collections, in order, consistently.
func (s *View) readListed(ctx context.Context, t identity.Tenant, prefix string, most int, into any) error {
	return s.prefixed(KindFiles.of(t), prefix).Limit(most).All(ctx, into)
}

// pageOf is the part of a list from an offset on.
func pageOf(all []key, offset, limit int) []key {
	from := min(max(offset, 0), len(all))
	return all[from : from+min(max(limit, 0), len(all)-from)]
}

// CreateCollection stores a new collection. If the id, which follows from the operation, is stored already, it returns
// that collection. Failure: Conflict at file.MaxCollections.
func (s *Store) CreateCollection(ctx context.Context, by audit.By, t identity.Tenant,
	c file.Collection) (file.Collection, error) {
	return Retry(func(bool) (file.Collection, error) {
		made, count, err := s.findCreatedCollection(ctx, t, c.ID)
		switch {
		case err != nil || made.ID != "":
			return made, err
		case count.Count >= file.MaxCollections:
			return c, errTooManyCollections
		}
		return s.addCollection(ctx, by, t, c)
	})
}

// findCreatedCollection is the new collection if it has been stored before, else zero; with the count of the tenant's.
func (s *View) findCreatedCollection(ctx context.Context, t identity.Tenant, id string) (file.Collection, limitedCount,
	error) {
	var stored file.Collection
	var count limitedCount
	err := s.readInto(ctx, map[key]any{collectionKey(t, id): &stored, collectionCountKey(t): &count})
	return stored, count, err
}

// addCollection errors with ErrStale when the last room was taken, or the same collection was stored since they were
// read.
func (s *Store) addCollection(ctx context.Context, by audit.By, t identity.Tenant, c file.Collection) (file.Collection,
	error) {
	c.Version = 1
	tx := s.newAuditedTx(by)
	tx.Update(s.incrementCount(collectionCountKey(t), file.MaxCollections)).
		Put(s.replace(newItem(collectionKey(t, c.ID), c, c.Version))).
		Put(s.table.Put(newListedCollection(t, c)))
	tx.audit(t, subjectCollection(c), nil, c.ForAudit())
	return runCreation(ctx, tx, c, func() (file.Collection, bool, error) {
		made, _, err := s.findCreatedCollection(ctx, t, c.ID)
		return made, made.ID != "", err
	})
}

// incrementCount adds one to a count of the tenant's files or collections, if there is room.
func (s *Store) incrementCount(k key, most int) *dynamo.Update {
	return s.update(k).Add("count", 1).If("attribute_not_exists(pk) OR 'count' < ?", most)
}

func subjectCollection(c file.Collection) string { return "collection " + c.ID }

// UpdateCollection applies a change to a collection. Failure: NotFound.
func (s *Store) UpdateCollection(ctx context.Context, by audit.By, t identity.Tenant, id string,
	change func(file.Collection) (file.Collection, error)) (file.Collection, error) {
	return Retry(func(bool) (file.Collection, error) {
		before, err := s.Collection(ctx, t, id)
		if err != nil {
			return before, err
		}
		after, err := change(before)
		if err != nil || after == before {
			return before, err
		}
		after.Version++
		item := newItem(collectionKey(t, after.ID), after, after.Version)
		tx := s.newAuditedTx(by)
		tx.Put(s.replace(item))
		if after.Status != before.Status {
			tx.Put(s.table.Put(newListedCollection(t, after)))
		}
		tx.audit(t, subjectCollection(after), before.ForAudit(), after.ForAudit())
		return after, tx.runReplacement(ctx, item, ErrStale)
	})
}

// fillCollection counts a file that comes into a collection, which must be open. Like each change of the collection it
// makes another version, so that nobody writes over the count.
func (s *Store) fillCollection(t identity.Tenant, id string) *dynamo.Update {
	return s.changeFileCount(t, id, 1).If("'status' = ?", file.Open)
}

// drainCollection counts a file that leaves a collection.
func (s *Store) drainCollection(t identity.Tenant, id string) *dynamo.Update {
	return s.changeFileCount(t, id, -1).If("attribute_exists(pk)")
}

func (s *Store) changeFileCount(t identity.Tenant, id string, by int) *dynamo.Update {
	return s.update(collectionKey(t, id)).Add("files_count", by).Add("version", 1)
}

// collections are those that a change of a file concerns, by id.
type collections map[string]*file.Collection

// wantCollections adds collections to what is to be read; "" is none.
func wantCollections(into map[key]any, t identity.Tenant, ids ...string) collections {
	found := collections{}
	for _, id := range ids {
		if id != "" && found[id] == nil {
			found[id] = &file.Collection{}
			into[collectionKey(t, id)] = found[id]
		}
	}
	return found
}

// checkTakes refuses a file that is to come into a collection, or to be completed in it. Failures: Invalid
// collection_id; Conflict.
func (c collections) checkTakes(id string) error {
	switch {
	case id == "":
		return nil
	case c[id].ID == "":
		return errNotItsCollection
	default:
		return c[id].CheckTakes()
	}
}

// checkGives refuses a file that is to leave a collection. Failure: Conflict.
func (c collections) checkGives(id string) error {
	if id == "" || c[id].ID == "" {
		return nil
	}
	return c[id].CheckGives()
}

// checkMove refuses a file that is to be moved, or to be completed where it is. Failures: Invalid collection_id;
// Conflict.
func (c collections) checkMove(from, to string) error {
	if from != to {
		if err := c.checkGives(from); err != nil {
			return err
		}
	}
	return c.checkTakes(to)
}

// CheckMove refuses a file that is to be moved from a collection to another, or to be completed where it is, before
// anything else is done for it; "" is none. Failures: Invalid collection_id; Conflict.
func (s *View) CheckMove(ctx context.Context, t identity.Tenant, from, to string) error {
	into := map[key]any{}
	found := wantCollections(into, t, from, to)
	if err := s.readInto(ctx, into); err != nil {
		return err
	}
	return found.checkMove(from, to)
}
