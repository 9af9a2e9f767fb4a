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

// CreateMerchant stores a new merchant. Failure: Conflict when the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, m account.Merchant) error {
	item := merchantItem{key: merchantKey(m.Code), Merchant: m}
	err := s.table.Put(item).If("attribute_not_exists(pk)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return failure.Clash("CONFLICT", "", "the merchant exists")
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

// RotateCallbackSecret moves the merchant to its next callback secret; the
// one before goes on signing for a day (contract §11.2). Failure: NotFound.
func (s *Store) RotateCallbackSecret(ctx context.Context, code string, now time.Time) (account.CallbackSecret, error) {
	_, current, err := s.Merchant(ctx, code)
	if err != nil {
		return current, err
	}
	next := current.Rotated(now)
	k := merchantKey(code)
	err = s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set("secret_version", next.Version).Set("secret_rotated_at", next.RotatedAt).
		If("attribute_exists(pk) AND (attribute_not_exists(secret_version) OR secret_version = ?)", current.Version).Run(ctx)
	return next, err
}
