package store

import (
	"context"
	"errors"
	"slices"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// maxKeysAtOnce is the number of API keys that end in one transaction. Each key takes three of a transaction's 100
// items, and the change of the member up to 20.
const maxKeysAtOnce = 25

// readMemberKeys reads the API keys that the member stands behind (identity.Maker.Person) and the tenant's count of
// keys, consistently. The key that made the request is last.
func (s *View) readMemberKeys(ctx context.Context, by audit.By, t identity.Tenant, m member.Member) ([]identity.APIKey,
	apiKeyCount, error) {
	var count apiKeyCount
	// The count is read first, because a key that is created later changes it.
	if err := s.readInto(ctx, map[key]any{keyForAPIKeyCount(t): &count}); err != nil {
		return nil, count, err
	}
	keys, err := s.APIKeys(ctx, t)
	keys = slices.DeleteFunc(keys, func(k identity.APIKey) bool { return k.Maker.Person != m.ID })
	own := by.Principal.Actor.ID
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

// endOrKeepKeys adds the member's API keys to a change that disables or removes the member. When the member is removed,
// after is zero. The keys are deleted, or stay if keys is KeepKeys. In both cases a mail to the owners names the keys.
// If there are more than maxKeysAtOnce, separate transactions delete the first ones beforehand. endOrKeepKeys returns
// the item versions that the transaction now requires. Error: ErrStale when one of the keys changed meanwhile.
func (tx *auditedTx) endOrKeepKeys(ctx context.Context, t identity.Tenant, before, after member.Member,
	keys member.Keys) ([]itemVersion, error) {
	s := tx.store
	if before.Invited() || after.ID != "" && (before.Disabled() || !after.Disabled()) {
		return nil, nil
	}
	made, count, err := s.readMemberKeys(ctx, tx.by, t, before)
	if err == nil && keys == member.EndKeys && len(made) > maxKeysAtOnce { // before the first batch of keys is deleted
		err = s.checkLastOwner(ctx, t, before, after)
	}
	if err != nil {
		return nil, err
	}
	for ; keys == member.EndKeys && len(made) > maxKeysAtOnce; made = made[maxKeysAtOnce:] {
		if err := s.endKeyBatch(ctx, tx.by, t, before, made[:maxKeysAtOnce]); err != nil {
			return nil, err
		}
	}
	tx.putKeysMail(t, before, keys, made)
	// The condition requires that no key was created since the read. The count is never deleted.
	tx.Check(s.check(keyForAPIKeyCount(t)).If("attribute_not_exists(pk) OR version = ?", count.Version))
	if keys == member.KeepKeys {
		return nil, nil
	}
	return tx.endKeys(made), nil
}

// putKeysMail adds the mail to the owners that names the keys, if there are any.
func (tx *auditedTx) putKeysMail(t identity.Tenant, m member.Member, keys member.Keys, made []identity.APIKey) {
	if len(made) > 0 {
		change := versionOf(memberKey(t, m.Number()), m.Version+1) + " " + made[0].ID
		tx.Put(tx.store.putMail(t, mail.NewMemberKeys(change, keys == member.EndKeys, m.Email, keyNames(made))))
	}
}

// checkLastOwner returns the refusal of a change that would leave the tenant without an active owner, else nil.
func (s *View) checkLastOwner(ctx context.Context, t identity.Tenant, before, after member.Member) error {
	refusal := errLastOwner
	if after.ID == "" {
		refusal = errLastOwnerLeaves
	}
	if err := s.explainRefusal(ctx, t, before, after, refusal); !errors.Is(err, ErrStale) {
		return err
	}
	return nil
}

// endKeyBatch ends keys in a separate transaction. Error: ErrStale when a key changed meanwhile.
func (s *Store) endKeyBatch(ctx context.Context, by audit.By, t identity.Tenant, m member.Member,
	keys []identity.APIKey) error {
	tx := s.newAuditedTx(by)
	tx.putKeysMail(t, m, member.EndKeys, keys)
	tx.requireCaller(tx.endKeys(keys)...)
	return ifRefused(tx.Run(ctx), ErrStale)
}

// endKeys adds the deletion of keys, and returns the item versions that the transaction now requires. Unlike
// DeleteAPIKey it keeps no record of the deletion, because functions that change members may delete items of keys, but
// may not write any. So a repeated request may create such a key again.
func (tx *auditedTx) endKeys(keys []identity.APIKey) []itemVersion {
	has := make([]itemVersion, len(keys))
	for i, k := range keys {
		has[i] = tx.deleteKey(k)
	}
	return has
}

func keyNames(keys []identity.APIKey) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = k.Name
	}
	return all
}
