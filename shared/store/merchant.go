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

// merchantItem is a merchant and its callback secret's version: the secret
// itself is derived from the platform's own key and stored nowhere.
type merchantItem struct {
	key
	merchant.Merchant
	merchant.CallbackSecret
	Profile merchant.Profile `dynamo:"profile,omitempty"`
}

// CreateMerchant stores a new merchant with its first keys, all or nothing:
// no merchant is left behind that nobody can act for. Failure: Conflict when
// the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, m merchant.Merchant, p merchant.Profile, keys ...APIKey) error {
	item := merchantItem{key: merchantKey(m.Code), Merchant: m, Profile: p}
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
func (s *Store) Merchant(ctx context.Context, code string) (merchant.Merchant, merchant.CallbackSecret, error) {
	item, err := s.merchantItem(ctx, code)
	return item.Merchant, item.CallbackSecret, err
}

// MerchantProfile reads a merchant and its profile. Failure: NotFound.
func (s *Store) MerchantProfile(ctx context.Context, code string) (merchant.Merchant, merchant.Profile, error) {
	item, err := s.merchantItem(ctx, code)
	return item.Merchant, item.Profile, err
}

func (s *Store) merchantItem(ctx context.Context, code string) (merchantItem, error) {
	var item merchantItem
	err := s.get(merchantKey(code)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return merchantItem{}, failure.Absent("", "no such merchant")
	}
	return item, err
}

// UpdateMerchant writes what changed of a merchant that was read, and answers
// it with its next version; its callback secret stays as it is. ErrStale when
// somebody else changed it meanwhile. The copies in its credentials are still
// to be rewritten (RewriteCopies).
func (s *Store) UpdateMerchant(ctx context.Context, m merchant.Merchant, p merchant.Profile) (merchant.Merchant, error) {
	unchanged := unchangedSince(m)
	m.Version++
	k := merchantKey(m.Code)
	err := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set("name", m.Name).Set("email", m.Email).Set("online_payments", m.OnlinePayments).Set("fee_rate", m.FeeRate).
		Set("refund_floor", m.RefundFloor).Set("payout_plan", m.PayoutPlan).Set("gross", m.Gross).
		Set("time_zone", m.TimeZone).Set("payouts", m.Payouts).Set("version", m.Version).Set("profile", p).
		If(unchanged.condition, unchanged.args...).Run(ctx)
	if err == nil {
		return m, nil
	}
	stored, readErr := s.merchantItem(ctx, m.Code)
	switch {
	case readErr != nil:
		return m, errors.Join(err, readErr)
	case stored.Merchant == m && stored.Profile == p: // only the reply was lost
		return m, nil
	case dynamo.IsCondCheckFailed(err):
		return m, ErrStale
	default:
		return m, err
	}
}

type unchanged struct {
	condition string
	args      []any
}

// unchangedSince holds while the merchant is as it was read. Version 0 is not
// stored.
func unchangedSince(m merchant.Merchant) unchanged {
	if m.Version == 0 {
		return unchanged{condition: "attribute_exists(pk) AND attribute_not_exists('version')"}
	}
	return unchanged{condition: "'version' = ?", args: []any{m.Version}}
}

// RewriteCopies brings the merchant's credentials to the version given; those
// that have a later one keep it. Nobody can add a credential with an earlier
// one any more (AddAPIKey), so that once this is through there is none left.
// Until then it may be repeated.
func (s *Store) RewriteCopies(ctx context.Context, m merchant.Merchant) error {
	for _, mode := range []identity.Mode{identity.Live, identity.Test} {
		keys, err := s.apiKeys(ctx, identity.Tenant{Mode: mode, Merchant: m.Code})
		if err != nil {
			return err
		}
		for _, item := range keys {
			if err := s.rewriteCopy(ctx, item.TokenHash, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) rewriteCopy(ctx context.Context, tokenHash string, m merchant.Merchant) error {
	k := credentialKey(tokenHash)
	err := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).Set("merchant", m).
		If("attribute_exists(pk) AND (attribute_not_exists('merchant'.'version') OR 'merchant'.'version' <= ?)", m.Version).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return nil
	}
	return err
}

// RotateCallbackSecret moves the merchant from the secret that was read to
// its next; the one before goes on signing for a day (contract §11.2).
// Failure: Conflict when somebody else rotated it meanwhile.
func (s *Store) RotateCallbackSecret(ctx context.Context, code string, current merchant.CallbackSecret, now time.Time) (merchant.CallbackSecret, error) {
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
