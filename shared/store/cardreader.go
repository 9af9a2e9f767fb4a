package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
)

func cardReaderItem(t identity.Tenant, r reader.Reader) storedItem {
	return newItem(cardReaderKey(t, r.ID), r, r.Version)
}

// Failures of readers (contract §9).
var (
	errNoCardReader = failure.NotFound("There is no such reader.")
	// ErrTooManyCardReaders is the failure of a creation beyond reader.MaxReaders.
	ErrTooManyCardReaders = failure.Conflict("The merchant has as many readers as it can have.")
)

// CardReader reads a reader, consistently. Failure: NotFound.
func (s *View) CardReader(ctx context.Context, t identity.Tenant, id string) (reader.Reader, error) {
	return readOne[reader.Reader](ctx, s, cardReaderKey(t, id), errNoCardReader)
}

// CardReaders returns the tenant's readers, oldest first, consistently.
func (s *View) CardReaders(ctx context.Context, t identity.Tenant) ([]reader.Reader, error) {
	readers := []reader.Reader{}
	err := s.prefixed(KindReaders.of(t), cardReaderPrefix).Limit(reader.MaxReaders).All(ctx, &readers)
	slices.SortFunc(readers, func(a, b reader.Reader) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return readers, err
}

// CreateCardReader stores the new reader that pair makes under the id, and ends the tenant's other readers of the same
// terminal. The id follows from the operation. If a reader with the id is already stored, CreateCardReader returns that
// reader, even a deleted one, without calling pair. Failure: ErrTooManyCardReaders, perhaps after a call of pair.
func (s *Store) CreateCardReader(ctx context.Context, by audit.By, t identity.Tenant, id string,
	pair func() (reader.Reader, error)) (reader.Reader, error) {
	if err := by.Check(); err != nil {
		return reader.Reader{}, err
	}
	return Retry(func(bool) (reader.Reader, error) {
		made, count, err := s.findCreatedReader(ctx, t, id)
		if err != nil || made.ID != "" {
			return made, err
		}
		readers, err := s.CardReaders(ctx, t)
		switch {
		case err != nil:
			return made, err
		case len(readers) >= reader.MaxReaders:
			return made, ErrTooManyCardReaders
		}
		r, err := pair()
		if err != nil {
			return r, err
		}
		return s.addCardReader(ctx, by, t, r, readers, count)
	})
}

// findCreatedReader returns the reader with the id and the tenant's count of creations. The reader may have been
// deleted since. If no reader was stored under the id, findCreatedReader returns the zero reader.
func (s *View) findCreatedReader(ctx context.Context, t identity.Tenant, id string) (reader.Reader, creationCount,
	error) {
	var stored, deleted reader.Reader
	var count creationCount
	err := s.readInto(ctx, map[key]any{cardReaderKey(t, id): &stored, deletionKey(KindReaders, t, id): &deleted,
		readerCountKey(t): &count})
	if stored.ID == "" {
		return deleted, count, err
	}
	return stored, count, err
}

// addCardReader errors with ErrStale when another reader was added since the count was read, or a reader that it ends
// changed.
func (s *Store) addCardReader(ctx context.Context, by audit.By, t identity.Tenant, r reader.Reader,
	others []reader.Reader, count creationCount) (reader.Reader, error) {
	r.Version = 1
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(count.next(readerCountKey(t)))).Put(s.replace(cardReaderItem(t, r)))
	for _, other := range others {
		if other.Serial == r.Serial && other.StatusAt(s.Now()) != reader.Expired {
			after := other.End(s.Now())
			after.Version++
			tx.Put(s.replace(cardReaderItem(t, after)))
		}
	}
	tx.audit(t, subjectReader(r), nil, r.ForAudit())
	return runCreation(ctx, tx, r, func() (reader.Reader, bool, error) {
		made, _, err := s.findCreatedReader(ctx, t, r.ID)
		return made, made.ID != "", err
	})
}

func subjectReader(r reader.Reader) string { return "reader " + r.ID }

// SaveCardReader replaces a reader with the state that its terminal reported. Error: ErrStale, also for a deleted
// reader.
func (s *Store) SaveCardReader(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	r.Version++
	return r, s.save(ctx, cardReaderItem(t, r))
}

// UpdateCardReader applies a merchant's change to a reader. Failure: NotFound.
func (s *Store) UpdateCardReader(ctx context.Context, by audit.By, t identity.Tenant, id string,
	change func(reader.Reader) reader.Reader) (reader.Reader, error) {
	return Retry(func(bool) (reader.Reader, error) {
		before, err := s.CardReader(ctx, t, id)
		if err != nil {
			return before, err
		}
		after := change(before)
		if after == before {
			return before, nil
		}
		after.Version++
		item := cardReaderItem(t, after)
		tx := s.newAuditedTx(by)
		tx.Put(s.replace(item))
		tx.audit(t, subjectReader(after), before.ForAudit(), after.ForAudit())
		return after, tx.runReplacement(ctx, item, ErrStale)
	})
}

// DeleteCardReader calls stop to end the reader's activity, deletes the reader, and keeps a record of the deletion. If
// the reader changes meanwhile, stop is called again. The same operation may be repeated. Failure: NotFound.
func (s *Store) DeleteCardReader(ctx context.Context, by audit.By, t identity.Tenant, id, operation string,
	stop func(reader.Reader) error) error {
	return retryWrite(func(bool) error {
		r, err := s.CardReader(ctx, t, id)
		switch {
		case failure.Is(err, failure.KindNotFound):
			return s.checkDeletedBy(ctx, deletionKey(KindReaders, t, id), operation, errNoCardReader)
		case err == nil:
			err = stop(r)
		}
		if err != nil {
			return err
		}
		return s.removeCardReader(ctx, by, t, r, operation)
	})
}

// removeCardReader errors with ErrStale when the reader changed or is gone.
func (s *Store) removeCardReader(ctx context.Context, by audit.By, t identity.Tenant, r reader.Reader,
	operation string) error {
	tx := s.newAuditedTx(by)
	tx.Delete(s.remove(cardReaderKey(t, r.ID)).If("version = ?", r.Version)).
		Put(s.putDeletion(deletionKey(KindReaders, t, r.ID), operation, r))
	tx.audit(t, subjectReader(r), r.ForAudit(), nil)
	return tx.runRemoval(ctx, cardReaderKey(t, r.ID), r.Version, ErrStale)
}
