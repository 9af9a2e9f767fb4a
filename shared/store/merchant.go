package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// merchantItem is a merchant. Its callback secrets are derived from the
// platform's own key and stored nowhere.
type merchantItem struct {
	key
	WriteID string `dynamo:"write_id"`
	merchant.Merchant
}

func newMerchantItem(m merchant.Merchant) merchantItem {
	return merchantItem{key: merchantKey(m.Code), WriteID: uuid.NewString(), Merchant: m}
}

// CreateMerchant stores a new merchant with its first keys, all or nothing:
// no merchant is left behind that nobody can act for. Failure: Conflict when
// the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, m merchant.Merchant, keys ...identity.APIKey) error {
	m.Version = 1
	item := newMerchantItem(m)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_not_exists(pk)"))
	for _, k := range keys {
		tx.Put(s.putAPIKey(k))
	}
	taken := failure.Conflict("The merchant already exists.")
	err := s.truth(ctx, item.key, written{item.WriteID, m.Version}, taken, tx.Run(ctx))
	if errors.Is(err, ErrStale) {
		return taken
	}
	return err
}

// errNoMerchant is the failure of every read of a merchant that is not there.
var errNoMerchant = failure.NotFound("There is no such merchant.")

// Merchant reads a merchant, consistently. Failure: NotFound.
func (s *Reader) Merchant(ctx context.Context, code string) (merchant.Merchant, error) {
	var item merchantItem
	err := s.get(merchantKey(code)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return item.Merchant, errNoMerchant
	}
	return item.Merchant, err
}

// SaveMerchant replaces the merchant that was read, and answers it with its
// next version. What its payouts go by changes by SaveMerchantState alone.
// ErrStale when somebody else changed it meanwhile.
func (s *Store) SaveMerchant(ctx context.Context, m merchant.Merchant) (merchant.Merchant, error) {
	saved, err := s.SaveMerchantState(ctx, merchant.State{Merchant: m})
	return saved.Merchant, err
}

// MerchantState reads a merchant with its payout schedules, and the merchant
// first: whoever changes what the schedules follow writes it too, so a save of
// what was not read together fails, also where a schedule was yet to be made.
// Failure: NotFound.
func (s *Reader) MerchantState(ctx context.Context, code string) (merchant.State, error) {
	m, err := s.Merchant(ctx, code)
	state := merchant.State{Merchant: m}
	if err != nil {
		return state, err
	}
	for _, mode := range identity.Modes {
		schedule, err := s.PayoutSchedule(ctx, identity.Tenant{Mode: mode, Merchant: code})
		switch {
		case failure.Is(err, failure.KindNotFound):
		case err != nil:
			return state, err
		default:
			state.Schedules = state.Schedules.With(mode, &schedule)
		}
	}
	return state, nil
}

// SaveMerchantState replaces the merchant and those of its payout schedules
// that are given, in one transaction, and answers them with their next
// versions. A schedule of version 0 is a new one. ErrStale when any of them
// changed since it was read.
func (s *Store) SaveMerchantState(ctx context.Context, state merchant.State) (merchant.State, error) {
	before := state.Merchant.Version
	state.Merchant.Version++
	item := newMerchantItem(state.Merchant)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("version = ?", before))
	for _, mode := range identity.Modes {
		if schedule := state.Schedules.Of(mode); schedule != nil {
			next, put := s.replaceSchedule(identity.Tenant{Mode: mode, Merchant: item.Code}, *schedule)
			tx.Put(put)
			state.Schedules = state.Schedules.With(mode, &next.PayoutSchedule)
		}
	}
	return state, s.truth(ctx, item.key, written{item.WriteID, state.Merchant.Version}, ErrStale, tx.Run(ctx))
}
