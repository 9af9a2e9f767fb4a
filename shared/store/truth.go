package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"
)

// ErrStale reports that the item changed since it was read, and nothing was
// written. Read it again and decide anew.
var ErrStale = errors.New("store: the item changed meanwhile")

// written is how an item tells one write of it from another.
type written struct {
	WriteID string `dynamo:"write_id"` // of the last writer, to recognise one's own write
	Version int    `dynamo:"version"`  // one more with each write
}

// truth turns the error of a write into what became of it. After a lost reply
// the item tells whether the write was done: then there is no error. ErrStale
// when another write of the item was faster; refused, if given, when it still
// is as it was read but another condition failed.
func (s *Store) truth(ctx context.Context, k key, mine written, refused, err error) error {
	if err == nil {
		return nil
	}
	var stored written
	readErr := s.get(k).One(ctx, &stored)
	switch {
	case readErr != nil && !errors.Is(readErr, dynamo.ErrNotFound):
		return errors.Join(err, readErr)
	case stored.WriteID == mine.WriteID:
		return nil
	case stored.Version >= mine.Version:
		return ErrStale
	case refused != nil && dynamo.IsCondCheckFailed(err):
		return refused
	default:
		return err
	}
}
