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

// listedCollection is a collection's entry in the list, with the attribute that lists are filtered by.
type listedCollection struct {
	key
	Status file.CollectionStatus `dynamo:"status"`
}

func newListedCollection(t identity.Tenant, c file.Collection) listedCollection {
	return listedCollection{listedKey(t, listedCollectionPrefix, c.CreatedAt, c.ID), c.Status}
}

// Failures of collections (contract §8.3).
var (
	errNoCollection       = failure.NotFound("There is no such collection.")
	errTooManyCollections = failure.Conflict("The merchant has as many collections as it can have.")
)

// Collection reads a collection, consistently. Failure: NotFound.
func (s *View) Collection(ctx context.Context, t identity.Tenant, id string) (file.Collection, error) {
	return readOne[file.Collection](ctx, s, collectionKey(t, id), errNoCollection)
}

// Collections returns a page of the tenant's collections with one of the statuses, in the order of creation, and the
// number of all such collections. It reads consistently, in one query and one batch for the page.
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

func pageOf(all []key, offset, limit int) []key {
	from := min(max(offset, 0), len(all))
	return all[from : from+min(max(limit, 0), len(all)-from)]
}

// CreateCollection stores a new collection. The id follows from the operation. If a collection with the id is already
// stored, CreateCollection returns that collection. Failure: Conflict at file.MaxCollections.
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

// findCreatedCollection returns the collection with the id, or the zero collection if there is none. It also returns
// the count of the tenant's collections.
func (s *View) findCreatedCollection(ctx context.Context, t identity.Tenant, id string) (file.Collection, limitedCount,
	error) {
	var stored file.Collection
	var count limitedCount
	err := s.readInto(ctx, map[key]any{collectionKey(t, id): &stored, collectionCountKey(t): &count})
	return stored, count, err
}

// addCollection errors with ErrStale when, since the reads, the last free place was taken or the collection was stored.
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

// incrementCount returns the update that adds one to the count of the tenant's files or collections, if the count is
// below most.
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

// fillCollection returns the update that counts a file that enters a collection, which must be open. Like each change
// of the collection, the update raises the version, so that a concurrent change cannot overwrite the count.
func (s *Store) fillCollection(t identity.Tenant, id string) *dynamo.Update {
	return s.changeFileCount(t, id, 1).If("'status' = ?", file.Open)
}

// drainCollection returns the update that counts a file that leaves a collection.
func (s *Store) drainCollection(t identity.Tenant, id string) *dynamo.Update {
	return s.changeFileCount(t, id, -1).If("attribute_exists(pk)")
}

func (s *Store) changeFileCount(t identity.Tenant, id string, by int) *dynamo.Update {
	return s.update(collectionKey(t, id)).Add("files_count", by).Add("version", 1)
}

// collections holds, by id, the collections that a change of a file affects.
type collections map[string]*file.Collection

// wantCollections adds collections to the items to read. An id of "" means no collection.
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

// checkTakes checks that a file may enter a collection, or be completed in it. Failures: Invalid collection_id,
// Conflict.
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

// checkGives checks that a file may leave a collection. Failure: Conflict.
func (c collections) checkGives(id string) error {
	if id == "" || c[id].ID == "" {
		return nil
	}
	return c[id].CheckGives()
}

// checkMove checks that a file may move from a collection to another, or be completed where it is. Failures: Invalid
// collection_id; Conflict.
func (c collections) checkMove(from, to string) error {
	if from != to {
		if err := c.checkGives(from); err != nil {
			return err
		}
	}
	return c.checkTakes(to)
}

// CheckMove checks that a file may move from a collection to another, or be completed where it is. An id of "" means no
// collection. Call it before doing anything else for the file. Failures: Invalid collection_id; Conflict.
func (s *View) CheckMove(ctx context.Context, t identity.Tenant, from, to string) error {
	into := map[key]any{}
	found := wantCollections(into, t, from, to)
	if err := s.readInto(ctx, into); err != nil {
		return err
	}
	return found.checkMove(from, to)
}
