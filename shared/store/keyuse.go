package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// KeyUseEvery is the least time between two recorded uses of a key (contract §8.2).
const KeyUseEvery = time.Hour

// keyUse records when a key was last used. It has a separate kind, because every function that takes requests writes
// it, and most of these functions may not write keys.
type keyUse struct {
	key
	LastUsedAt time.Time `dynamo:"last_used_at,unixtime"`
}

// KeyUsed records that the tenant's key is used now, and returns the recorded time. That time is now, or up to an hour
// earlier. So a key costs one write an hour, however many processes serve it.
func (s *Store) KeyUsed(ctx context.Context, t identity.Tenant, id string) (time.Time, error) {
	k, now := keyForAPIKeyUse(t, id), s.now()
	recorded, err := s.readKeyUse(ctx, k)
	if err != nil || recorded.After(now.Add(-KeyUseEvery)) {
		return recorded, err
	}
	err = s.table.Put(keyUse{k, now}).If("attribute_not_exists(pk) OR last_used_at <= ?", now.Add(-KeyUseEvery).Unix()).
		Run(ctx)
	if dynamo.IsCondCheckFailed(err) { // another process was faster, or this one has done it
		return now, nil
	}
	return now, err
}

// readKeyUse returns when the key was last used, or the zero time.
func (s *View) readKeyUse(ctx context.Context, k key) (time.Time, error) {
	var item keyUse
	err := s.table.get(partitionKey, k.PK).Range(sortKey, dynamo.Equal, k.SK).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = nil
	}
	return item.LastUsedAt.UTC(), err
}

// KeyUses returns when the tenant's keys were last used, by their ids. Each time is at most KeyUseEvery too early. Keys
// that were never used are left out.
func (s *View) KeyUses(ctx context.Context, t identity.Tenant, ids ...string) (map[string]time.Time, error) {
	keys, idOf := make([]key, len(ids)), map[key]string{}
	for i, id := range ids {
		keys[i] = keyForAPIKeyUse(t, id)
		idOf[keys[i]] = id
	}
	return readIndexed(ctx, s, keys, false,
		func(use keyUse) (string, time.Time) { return idOf[use.key], use.LastUsedAt.UTC() })
}
