package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// accessTokenItem stores an access token until the token expires or is revoked.
type accessTokenItem struct {
	key
	identity.AccessToken
	Expires int64 `dynamo:"expires_at"`
}

func newAccessTokenItem(t identity.AccessToken) accessTokenItem {
	return accessTokenItem{key: accessTokenKey(t.Hash), AccessToken: t, Expires: t.ExpiresAt.Unix()}
}

// PutAccessToken stores a new access token without a grant. It may be repeated: no other token has the same hash.
func (s *Store) PutAccessToken(ctx context.Context, t identity.AccessToken) error {
	return ifRefused(s.table.Put(newAccessTokenItem(t)).If("attribute_not_exists(pk)").Run(ctx), nil)
}

// RevokeAccessToken deletes the token with the hash. Repeating the call is safe.
func (s *Store) RevokeAccessToken(ctx context.Context, tokenHash string) error {
	return s.remove(accessTokenKey(tokenHash)).Run(ctx)
}

// AccessToken reads the token with the hash. Failure: Unauthorized if the token is unknown, revoked or expired.
func (s *View) AccessToken(ctx context.Context, tokenHash string) (identity.AccessToken, error) {
	t, found, err := s.readAccessToken(ctx, tokenHash)
	if err == nil && (!found || !t.Valid(s.now())) {
		err = errBadToken
	}
	return t, err
}

// readAccessToken reads the token with the hash, consistently, even an expired one. It returns false if there is none.
func (s *View) readAccessToken(ctx context.Context, tokenHash string) (identity.AccessToken, bool, error) {
	item, err := readOne[accessTokenItem](ctx, s, accessTokenKey(tokenHash), nil)
	item.ExpiresAt = time.Unix(item.Expires, 0).UTC()
	return item.AccessToken, item.Hash != "", err
}

// CreateMerchantToken stores a new merchant token made by by's principal, and returns the token.
func (s *Store) CreateMerchantToken(ctx context.Context, by audit.By, t identity.AccessToken) (identity.AccessToken,
	error) {
	return retryAs(ctx, by, s.View, func() (identity.AccessToken, error) {
		tx := s.newAuditedTx(by)
		tx.Put(s.table.Put(newAccessTokenItem(t)).If("attribute_not_exists(pk)"))
		tx.audit(t.Tenant, "merchant_token "+t.Subject, nil, t.ForAudit())
		tx.requireCaller()
		return runCreation(ctx, tx, t, func() (identity.AccessToken, bool, error) {
			return s.readAccessToken(ctx, t.Hash)
		})
	})
}
