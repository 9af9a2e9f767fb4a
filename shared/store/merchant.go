package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
)

// merchantItem is a merchant and its callback secret's version: the secret
// itself is derived from the platform's own key and stored nowhere.
type merchantItem struct {
	key
	account.Merchant
	account.CallbackSecret
}

// CreateMerchant stores a new merchant with its first keys, all or nothing:
// no merchant is left behind that nobody can act for. Failure: Conflict when
// the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, m account.Merchant, keys ...APIKey) error {
	item := merchantItem{key: merchantKey(m.Code), Merchant: m}
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_not_exists(pk)"))
	for _, k := range keys {
		s.putAPIKey(tx, k)
	}
	err := tx.Run(ctx)
	if len(keys) > 0 {
		err = s.unlessAdded(ctx, keys[0], err)
	}
	if dynamo.IsCondCheckFailed(err) {
		return failure.Clash("CONFLICT", "", "the merchant exists").With(err)
	}
	return err
}

// Merchant reads a merchant and its callback secret's version. Failure: NotFound.
func (s *Store) Merchant(ctx context.Context, code string) (account.Merchant, account.CallbackSecret, error) {
	var item merchantItem
	err := s.get(merchantKey(code)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return account.Merchant{}, account.CallbackSecret{}, failure.Absent("", "no such merchant")
	}
	return item.Merchant, item.CallbackSecret, err
}

// RotateCallbackSecret moves the merchant from the secret that was read to
// its next; the one before goes on signing for a day (contract §11.2).
// Failure: Conflict when somebody else rotated it meanwhile.
func (s *Store) RotateCallbackSecret(ctx context.Context, code string, current account.CallbackSecret, now time.Time) (account.CallbackSecret, error) {
	next := current.Rotated(now)
	k := merchantKey(code)
	err := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set("secret_version", next.Version).Set("secret_rotated_at", next.RotatedAt).
		If("attribute_exists(pk) AND (attribute_not_exists(secret_version) OR secret_version = ?)", current.Version).Run(ctx)
	if err == nil {
		return next, nil
	}
	_, stored, readErr := s.Merchant(ctx, code)
	switch {
	case readErr != nil:
		return current, errors.Join(err, readErr)
	case stored.Version == next.Version && stored.RotatedAt.Equal(next.RotatedAt): // only the reply was lost
		return next, nil
	case dynamo.IsCondCheckFailed(err):
		return stored, failure.Clash("CONFLICT", "", "the callback secret was rotated meanwhile").With(err)
	default:
		return current, err
	}
}
