package store

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
)

// apiKeyCount counts the keys that a tenant creates in a day. Each creation replaces the count under its version, so
// the second of two concurrent creations fails, and counts the first key when it retries.
type apiKeyCount struct {
	Day     string `dynamo:"day"`
	Created int    `dynamo:"created"` // on that day
	Version int    `dynamo:"version"`
}

// Failures of API keys.
var (
	errNoKey       = failure.NotFound("There is no such API key.")
	errTooManyKeys = failure.Conflict("The merchant has as many API keys as it can have.")
	errKeyHasMore  = failure.Denied("The key has rights that the credential could not give.")
)

// checkGivesKey refuses a caller that lacks a right of the key. Failure: Forbidden.
func checkGivesKey(by identity.Principal, k identity.APIKey) error {
	if lacks := by.LacksForKey(k); len(lacks) > 0 {
		return failure.Denied(identity.Lacks("To give these rights, the credential lacks", lacks))
	}
	return nil
}

// APIKeys returns the tenant's keys that are not revoked, oldest first, consistently.
func (s *View) APIKeys(ctx context.Context, t identity.Tenant) ([]identity.APIKey, error) {
	keys := []identity.APIKey{}
	err := s.prefixed(KindAPIKey.of(t), apiKeyPrefix).All(ctx, &keys)
	keys = slices.DeleteFunc(keys, func(k identity.APIKey) bool { return k.Revoked })
	slices.SortFunc(keys, func(a, b identity.APIKey) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return keys, err
}

// APIKey reads a key by its id, consistently. Failure: NotFound, also for a revoked key.
func (s *View) APIKey(ctx context.Context, t identity.Tenant, id string) (identity.APIKey, error) {
	keys, err := s.APIKeys(ctx, t)
	if err != nil {
		return identity.APIKey{}, err
	}
	k, found := find(keys, func(k identity.APIKey) bool { return k.ID == id })
	if !found {
		return k, errNoKey
	}
	return k, nil
}

// CreateAPIKey stores a new key made by by's principal, and returns the key. The key's id follows from the operation.
// If the same key is already stored, CreateAPIKey returns the stored key, even a deleted one. It does not check that
// the merchant exists; merchants are never deleted. Failures: Forbidden when the caller may not give the rights of the
// requested or the stored key; Conflict at identity.MaxAPIKeys; TooMany until the next day.
func (s *Store) CreateAPIKey(ctx context.Context, by audit.By, k identity.APIKey) (identity.APIKey, error) {
	return retryAs(ctx, by, s.View, func() (identity.APIKey, error) {
		if err := checkGivesKey(by.Principal, k); err != nil {
			return identity.APIKey{}, err
		}
		made, count, err := s.findCreatedKey(ctx, k)
		switch {
		case err != nil:
			return identity.APIKey{}, err
		case made.ID != "" && !by.Principal.MayManage(made):
			return identity.APIKey{}, errKeyHasMore
		case made.ID != "":
			return made, nil
		}
		now := s.now()
		if today := now.Format(time.DateOnly); count.Day != today {
			count.Day, count.Created = today, 0
		}
		if count.Created >= identity.MaxAPIKeysDay {
			return identity.APIKey{}, failure.TooMany(untilTomorrow(now))
		}
		keys, err := s.APIKeys(ctx, k.Tenant)
		switch {
		case err != nil:
			return identity.APIKey{}, err
		case len(keys) >= identity.MaxAPIKeys:
			return identity.APIKey{}, errTooManyKeys
		}
		return s.addAPIKey(ctx, by, k, count)
	})
}

// untilTomorrow returns the time until the next day begins in UTC.
func untilTomorrow(now time.Time) time.Duration {
	const day = 24 * time.Hour
	return now.Truncate(day).Add(day).Sub(now)
}

// findCreatedKey returns the new key and the count of new keys. The key may have been deleted since. If the key was
// never stored, findCreatedKey returns the zero key.
func (s *View) findCreatedKey(ctx context.Context, k identity.APIKey) (identity.APIKey, apiKeyCount, error) {
	var stored, deleted identity.APIKey
	var count apiKeyCount
	err := s.readInto(ctx, map[key]any{keyForAPIKey(k.Tenant, k.TokenHash): &stored,
		deletionKey(KindAPIKey, k.Tenant, k.ID): &deleted, keyForAPIKeyCount(k.Tenant): &count})
	if stored.ID == "" {
		return deleted, count, err
	}
	return stored, count, err
}

// addAPIKey errors with ErrStale when another key was added since the count was read, or the caller's rights changed.
func (s *Store) addAPIKey(ctx context.Context, by audit.By, k identity.APIKey, count apiKeyCount) (identity.APIKey,
	error) {
	count.Version++
	count.Created++
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(storedItem{key: keyForAPIKeyCount(k.Tenant), value: count, version: count.Version}))
	tx.putAPIKey(k)
	tx.Put(s.putMail(k.Tenant, mail.NewKeyCreated(k.ID, k.Name)))
	tx.requireCaller()
	k.Version = 1
	return runCreation(ctx, tx, k, func() (identity.APIKey, bool, error) {
		made, _, err := s.findCreatedKey(ctx, k)
		return made, made.ID != "", err
	})
}

// putAPIKey adds a new key under its token's hash, and the audit entry.
func (tx *auditedTx) putAPIKey(k identity.APIKey) {
	k.Version = 1
	tx.Put(tx.store.replace(newItem(keyForAPIKey(k.Tenant, k.TokenHash), k, k.Version)))
	tx.audit(k.Tenant, subjectAPIKey(k), nil, k.ForAudit())
}

func subjectAPIKey(k identity.APIKey) string { return "api_key " + k.ID }

// UpdateAPIKey applies a change to a key, for by's principal. Failures: NotFound, also when the key is deleted
// concurrently; Forbidden when the key has rights that the caller may not give, before or after the change.
func (s *Store) UpdateAPIKey(ctx context.Context, by audit.By, t identity.Tenant, id string,
	change func(identity.APIKey) (identity.APIKey, error)) (identity.APIKey, error) {
	return retryAs(ctx, by, s.View, func() (identity.APIKey, error) {
		before, err := s.APIKey(ctx, t, id)
		if err != nil {
			return before, err
		}
		after, err := change(before)
		switch {
		case err != nil:
			return before, err
		case !by.Principal.MayManage(before):
			return before, errKeyHasMore
		case !by.Principal.MayManage(after):
			return before, checkGivesKey(by.Principal, after)
		case reflect.DeepEqual(before, after):
			return before, nil
		}
		return s.replaceAPIKey(ctx, by, before, after)
	})
}

// replaceAPIKey errors with ErrStale when the key changed or is gone, or the caller's rights changed.
func (s *Store) replaceAPIKey(ctx context.Context, by audit.By, before, after identity.APIKey) (identity.APIKey,
	error) {
	after.Version = before.Version + 1
	item := newItem(keyForAPIKey(after.Tenant, after.TokenHash), after, after.Version)
	condition, values := unchangedAPIKey(before.Version)
	tx := s.newAuditedTx(by)
	tx.Put(s.table.Put(item).If(condition, values...))
	tx.audit(after.Tenant, subjectAPIKey(after), before.ForAudit(), after.ForAudit())
	tx.requireCaller(itemVersion{item.key, before.Version})
	return after, tx.runReplacement(ctx, item, ErrStale)
}

// unchangedAPIKey returns the condition that a key is as it was read. Keys older than versions have no version. During
// a deployment old code may revoke a key without changing its version, so the condition also tests revoked.
func unchangedAPIKey(version int) (condition string, values []any) {
	if version == 0 {
		return "revoked = ? AND attribute_not_exists(version)", []any{false}
	}
	return "revoked = ? AND version = ?", []any{false, version}
}

// DeleteAPIKey revokes a key at once for by's principal, and keeps a record of the deletion. The same operation may be
// repeated; with operation "" a key that any operation has deleted counts as deleted. Failures: NotFound; Forbidden
// when the key has rights that the caller may not give.
func (s *Store) DeleteAPIKey(ctx context.Context, by audit.By, t identity.Tenant, id, operation string) error {
	return retryWriteAs(ctx, by, s.View, func() error {
		k, err := s.APIKey(ctx, t, id)
		switch {
		case failure.Is(err, failure.KindNotFound):
			return s.checkDeletedBy(ctx, deletionKey(KindAPIKey, t, id), operation, errNoKey)
		case err != nil:
			return err
		case !by.Principal.MayManage(k):
			return errKeyHasMore
		}
		return s.removeAPIKey(ctx, by, k, operation)
	})
}

// removeAPIKey errors with ErrStale when the key changed or is gone, or the caller's rights changed; a retry finds out
// which.
func (s *Store) removeAPIKey(ctx context.Context, by audit.By, k identity.APIKey, operation string) error {
	was := k
	was.TokenHash = ""
	tx := s.newAuditedTx(by)
	tx.Put(s.putDeletion(deletionKey(KindAPIKey, k.Tenant, k.ID), operation, was))
	item := tx.deleteKey(k)
	tx.requireCaller(item)
	return tx.runRemoval(ctx, item.key, k.Version, ErrStale)
}

// deleteKey adds the deletion of a key and of its last use, with an audit entry. It returns the item version that the
// transaction now requires.
func (tx *auditedTx) deleteKey(k identity.APIKey) itemVersion {
	item := keyForAPIKey(k.Tenant, k.TokenHash)
	condition, values := unchangedAPIKey(k.Version)
	tx.Delete(tx.store.remove(item).If(condition, values...)).Delete(tx.store.remove(keyForAPIKeyUse(k.Tenant, k.ID)))
	tx.audit(k.Tenant, subjectAPIKey(k), k.ForAudit(), nil)
	return itemVersion{item, k.Version}
}
