package store

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// keysAtOnce is how many of a member's API keys end in the transaction that disables or removes the member. Each takes
// three of a transaction's 100 items, and the member itself up to 20.
const keysAtOnce = 25

// keysOf reads the API keys that the member made, or that their keys made, consistently, and how many keys the tenant has
// made. The caller's own key comes last.
func (s *Reader) keysOf(ctx context.Context, t identity.Tenant, m member.Member) ([]identity.APIKey, keyCount, error) {
	var count keyCount
	if err := s.readInto(ctx, map[key]any{keyCountKey(t): &count}); err != nil { // first: a later key changes it
		return nil, count, err
	}
	keys, err := s.APIKeys(ctx, t)
	keys = slices.DeleteFunc(keys, func(k identity.APIKey) bool { return k.Maker.Person != m.ID })
	own := identity.Caller(ctx).Actor.ID
	slices.SortStableFunc(keys, func(a, b identity.APIKey) int {
		switch own {
		case a.ID:
			return 1
		case b.ID:
			return -1
		default:
			return 0
		}
	})
	return keys, count, err
}

// leave adds to the transaction of a change what becomes of the API keys that the member made, if the change disables or
// removes the member (after is zero): they end with it, or they stay, and the owners get a mail that names them. Of very
// many keys it ends the first ones beforehand, each batch in a transaction of its own. It returns the items on which that
// makes a condition. Error: ErrStale when one of the keys changed meanwhile.
func (s *Store) leave(ctx context.Context, tx *dynamo.WriteTx, t identity.Tenant, before, after member.Member,
	keys member.Keys) ([]readVersion, error) {
	if before.Invited() || after.ID != "" && (before.Disabled() || !after.Disabled()) {
		return nil, nil
	}
	made, count, err := s.keysOf(ctx, t, before)
	if err != nil {
		return nil, err
	}
	if len(made) > 0 {
		s.putMail(tx, t, mail.NewMemberKeys(versionOf(memberKey(t, before.Number()), before.Version+1),
			keys == member.EndKeys, before.Email, names(made)))
	}
	k := keyCountKey(t) // nobody has made a key since they were read
	unchanged := s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK).If("attribute_not_exists(pk)")
	if count.Version > 0 {
		unchanged = s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK).If("version = ?", count.Version)
	}
	tx.Check(unchanged)
	if keys == member.KeepKeys {
		return nil, nil
	}
	for ; len(made) > keysAtOnce; made = made[keysAtOnce:] {
		if err := s.endBatch(ctx, made[:keysAtOnce]); err != nil {
			return nil, err
		}
	}
	return s.endKeys(ctx, tx, made)
}

// endBatch ends keys in a transaction of its own. Error: ErrStale when one of them changed meanwhile.
func (s *Store) endBatch(ctx context.Context, keys []identity.APIKey) error {
	tx := s.db.WriteTx().Idempotent(true)
	has, err := s.endKeys(ctx, tx, keys)
	if err == nil {
		err = s.asCaller(ctx, tx, has...)
	}
	if err != nil {
		return err
	}
	if err = tx.Run(ctx); dynamo.IsCondCheckFailed(err) {
		err = ErrStale
	}
	return err
}

// endKeys adds the deletion of keys to a transaction, with an entry of the audit for each. It returns the items on which
// that makes a condition. Unlike DeleteAPIKey it keeps no record for a request that is repeated: who made the keys has no
// access any more.
func (s *Store) endKeys(ctx context.Context, tx *dynamo.WriteTx, keys []identity.APIKey) (has []readVersion, err error) {
	for _, k := range keys {
		item := apiKeyKey(k.Tenant, k.TokenHash)
		condition, values := unchangedAPIKey(k.Version)
		tx.Delete(s.remove(item).If(condition, values...)).Delete(s.remove(keyUseKey(k.Tenant, k.ID)))
		if err := s.putAudit(ctx, tx, k.Tenant.Merchant, audit.Change{Mode: k.Tenant.Mode, Subject: subjectAPIKey(k),
			Before: k.ForAudit()}); err != nil {
			return nil, err
		}
		has = append(has, readVersion{item, k.Version})
	}
	return has, nil
}

func names(keys []identity.APIKey) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = k.Name
	}
	return all
}
