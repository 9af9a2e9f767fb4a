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

// keysAtOnce is the number of API keys that end in one transaction. Each key takes three of a transaction's 100
// items, and a change of the member up to 20.
const keysAtOnce = 25

// keysOf reads the API keys behind which the member stands (identity.Maker.Person) and the tenant's count of keys, both
// consistently. The key by which the request came is last.
func (s *Reader) keysOf(ctx context.Context, t identity.Tenant, m member.Member) ([]identity.APIKey, keyCount, error) {
	var count keyCount
	// Before the keys: a key that is made later changes the count.
	if err := s.readInto(ctx, map[key]any{keyCountKey(t): &count}); err != nil {
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

// leaveKeys adds the member's API keys to the transaction of a change that disables or removes the member (then after is
// zero). For other changes it adds nothing. The keys are deleted, or stay if keys is KeepKeys; the owners get a mail
// that names them. If there are more than keysAtOnce, it deletes the first ones beforehand, in separate transactions. It
// returns the versions of the items on which it put a condition. Error: ErrStale when one of the keys changed meanwhile.
func (s *Store) leaveKeys(ctx context.Context, tx *dynamo.WriteTx, t identity.Tenant, before, after member.Member,
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
	k := keyCountKey(t) // the condition: no key was made since they were read
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

// endBatch ends keys in a separate transaction. Error: ErrStale when one of them changed meanwhile.
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

// endKeys adds the deletion of keys to a transaction, with one audit entry for each. It returns the versions of the
// items on which it put a condition. Unlike DeleteAPIKey it keeps no record of the deleted key: its maker has no
// access any more, so the request that made the key cannot be repeated.
func (s *Store) endKeys(ctx context.Context, tx *dynamo.WriteTx,
	keys []identity.APIKey) (has []readVersion, err error) {
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
