package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

type credentialItem struct {
	key
	merchant.Credential
}

// Credential is who the token belongs to. The one read it costs is
// consistent, so that a new key works and a revoked one dies at once
// (contract §8.2). Failure: Unauthorized for an unknown or revoked token.
func (s *Store) Credential(ctx context.Context, tokenHash string) (merchant.Credential, error) {
	var item credentialItem
	k := credentialKey(tokenHash)
	err := s.table.Get(partitionKey, k.PK).Range(sortKey, dynamo.Equal, k.SK).Consistent(true).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) || (err == nil && item.Revoked) {
		return merchant.Credential{}, failure.Unauthenticated("invalid-token")
	}
	return item.Credential, err
}

// AddCredential stores a new credential under its token's hash.
func (s *Store) AddCredential(ctx context.Context, tokenHash string, c merchant.Credential) error {
	item := credentialItem{key: credentialKey(tokenHash), Credential: c}
	return s.table.Put(item).If("attribute_not_exists(pk)").Run(ctx)
}
