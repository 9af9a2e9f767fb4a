package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// accessTokenItem is kept until the token expires or is revoked.
type accessTokenItem struct {
	key
	identity.AccessToken
	Expires int64 `dynamo:"expires_at"`
}

func newAccessTokenItem(t identity.AccessToken) accessTokenItem {
	return accessTokenItem{key: accessTokenKey(t.Hash), AccessToken: t, Expires: t.ExpiresAt.Unix()}
}

// PutAccessToken stores a new access token that has no grant. It may be repeated: no other token
// has the same hash.
func (s *Store) PutAccessToken(ctx context.Context, t identity.AccessToken) error {
	err := s.table.Put(newAccessTokenItem(t)).If("attribute_not_exists(pk)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return nil
	}
	return err
}

// RevokeAccessToken deletes the token with the hash. It may be repeated.
func (s *Store) RevokeAccessToken(ctx context.Context, tokenHash string) error {
	k := accessTokenKey(tokenHash)
	return s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK).Run(ctx)
}

// AccessToken reads the token with the hash, consistently. Failure: Unauthorized if it is
// unknown, revoked or expired.
func (s *Reader) AccessToken(ctx context.Context, tokenHash string) (identity.AccessToken, error) {
	var item accessTokenItem
	err := s.get(accessTokenKey(tokenHash)).One(ctx, &item)
	item.ExpiresAt = time.Unix(item.Expires, 0).UTC()
	if errors.Is(err, dynamo.ErrNotFound) || err == nil && !item.Valid(s.now()) {
		err = errBadToken
	}
	return item.AccessToken, err
}
