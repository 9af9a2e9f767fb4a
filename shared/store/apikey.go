package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

type apiKeyItem struct {
	key
	identity.APIKey
}

// putAPIKey stores a new key under its token's hash, and its audit entry.
func (s *Store) putAPIKey(ctx context.Context, tx *dynamo.WriteTx, k identity.APIKey) error {
	item := apiKeyItem{key: apiKeyKey(k.Tenant, k.TokenHash), APIKey: k}
	tx.Put(s.table.Put(item).If("attribute_not_exists(pk)"))
	return s.putAudit(ctx, tx, k.Tenant.Merchant, audit.Change{Mode: k.Tenant.Mode, Subject: subjectAPIKey(k),
		After: k.ForAudit()})
}

// subjectAPIKey is the subject of entries about a key.
func subjectAPIKey(k identity.APIKey) string { return "api_key " + k.ID }

// AddAPIKey stores a new key. It may be repeated: no other key can have the same
// token. It does not check the merchant; merchants are never deleted.
func (s *Store) AddAPIKey(ctx context.Context, k identity.APIKey) error {
	tx := s.db.WriteTx().Idempotent(true)
	if err := s.putAPIKey(ctx, tx, k); err != nil {
		return err
	}
	err := tx.Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return nil
	}
	return err
}

// RevokeAPIKey revokes a key at once. It may be repeated. Failure: NotFound.
func (s *Store) RevokeAPIKey(ctx context.Context, t identity.Tenant, id string) error {
	var keys []apiKeyItem
	if err := s.table.Get(partitionKey, apiKeyKey(t, "").PK).Consistent(true).All(ctx, &keys); err != nil {
		return err
	}
	for _, k := range keys {
		switch {
		case k.ID != id:
		case k.Revoked:
			return nil
		default:
			return s.revoke(ctx, k)
		}
	}
	return failure.NotFound("There is no such API key.")
}

func (s *Store) revoke(ctx context.Context, k apiKeyItem) error {
	revoked := k.APIKey
	revoked.Revoked = true
	tx := s.db.WriteTx().Idempotent(true).Update(s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set("revoked", true).If("revoked = ?", false))
	if err := s.putAudit(ctx, tx, k.Tenant.Merchant, audit.Change{Mode: k.Tenant.Mode, Subject: subjectAPIKey(k.APIKey),
		Before: k.ForAudit(), After: revoked.ForAudit()}); err != nil {
		return err
	}
	err := tx.Run(ctx)
	if dynamo.IsCondCheckFailed(err) { // somebody else has revoked it, or this call has
		return nil
	}
	return err
}
