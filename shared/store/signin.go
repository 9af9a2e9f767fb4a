package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/signin"
)

type signInItem struct {
	key
	signin.Session
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

// PutSignIn stores a new session under the hash of its cookie. It may be repeated: no other
// has the same hash.
func (s *Store) PutSignIn(ctx context.Context, session signin.Session) error {
	return s.table.Put(signInItem{signInKey(session.Hash), session, session.Expires}).Run(ctx)
}

// SignIn reads the session with the hash, consistently; false when there is none, or it has
// expired.
func (s *Reader) SignIn(ctx context.Context, hash string) (signin.Session, bool, error) {
	var item signInItem
	err := s.get(signInKey(hash)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return signin.Session{}, false, nil
	}
	item.Expires = item.TTL.UTC()
	return item.Session, err == nil && s.now().Before(item.Expires), err
}

// EndSignIn deletes a session. It may be repeated.
func (s *Store) EndSignIn(ctx context.Context, hash string) error {
	k := signInKey(hash)
	return s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK).Run(ctx)
}
