package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// APIKey is a new key: its credential, the name people gave it, and the hash
// of the token. The token itself is shown once and stored nowhere.
type APIKey struct {
	TokenHash  string
	Name       string
	Credential merchant.Credential
}

// apiKeyItem finds a key by its public id: credentials lie under their
// token's hash, which nobody can be asked for.
type apiKeyItem struct {
	key
	ID        string        `dynamo:"id"`
	Name      string        `dynamo:"name,omitempty"`
	Kind      identity.Kind `dynamo:"kind"`
	TokenHash string        `dynamo:"token_hash"`
	CreatedAt time.Time     `dynamo:"created_at"`
}

// AddAPIKey stores a new key, to be found by its token and by its id. ErrStale
// when the merchant is not as the key's copy of it says: an update that is
// under way could pass over the key.
func (s *Store) AddAPIKey(ctx context.Context, k APIKey) error {
	owner, unchanged := merchantKey(k.Credential.Merchant.Code), unchangedSince(k.Credential.Merchant)
	tx := s.putAPIKey(s.db.WriteTx().Idempotent(true), k).
		Check(s.table.Check(partitionKey, owner.PK).Range(sortKey, owner.SK).If(unchanged.condition, unchanged.args...))
	err := s.unlessAdded(ctx, k, tx.Run(ctx))
	if dynamo.IsCondCheckFailed(err) {
		return ErrStale
	}
	return err
}

// apiKeys lists the tenant's keys, consistently, revoked ones too.
func (s *Store) apiKeys(ctx context.Context, t identity.Tenant) ([]apiKeyItem, error) {
	var items []apiKeyItem
	err := s.table.Get(partitionKey, apiKeyKey(t, "").PK).Consistent(true).All(ctx, &items)
	return items, err
}

func (s *Store) putAPIKey(tx *dynamo.WriteTx, k APIKey) *dynamo.WriteTx {
	c := k.Credential
	byToken := credentialItem{key: credentialKey(k.TokenHash), Credential: c}
	byID := apiKeyItem{key: apiKeyKey(c.Tenant, c.ID), ID: c.ID, Name: k.Name, Kind: c.Kind,
		TokenHash: k.TokenHash, CreatedAt: c.CreatedAt}
	return tx.Put(s.table.Put(byToken).If("attribute_not_exists(pk)")).
		Put(s.table.Put(byID).If("attribute_not_exists(pk)"))
}

// unlessAdded drops a write's error when the key is there after all: only the
// reply was lost. Nobody else can have made a key with this token.
func (s *Store) unlessAdded(ctx context.Context, k APIKey, err error) error {
	if err == nil {
		return nil
	}
	if _, readErr := s.Credential(ctx, k.TokenHash); readErr == nil {
		return nil
	}
	return err
}

// RevokeAPIKey ends a key at once; repeating it is fine. Failure: NotFound.
func (s *Store) RevokeAPIKey(ctx context.Context, t identity.Tenant, id string) error {
	var item apiKeyItem
	err := s.get(apiKeyKey(t, id)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return failure.Absent("", "no such API key")
	}
	if err != nil {
		return err
	}
	k := credentialKey(item.TokenHash)
	return s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set("revoked", true).If("attribute_exists(pk)").Run(ctx)
}
