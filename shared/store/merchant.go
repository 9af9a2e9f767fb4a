package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
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
	return merchantItem{key: merchantKey(m.Code), WriteID: newWriteID(), Merchant: m}
}

// CreateMerchant stores a new merchant with its onboarding data, if any, its first
// keys, and its owner as the first member of each mode, all or nothing: a merchant
// without a key could not be used. Failure: Conflict when the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, m merchant.Merchant, a account.Account,
	keys ...identity.APIKey,
) error {
	m.Version = 1
	item := newMerchantItem(m)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_not_exists(pk)"))
	if !a.UpdatedAt.IsZero() {
		_, put := s.replaceAccount(m.Code, a)
		tx.Put(put)
	}
	for _, k := range keys {
		tx.Put(s.putAPIKey(k))
	}
	for _, mode := range m.Modes() {
		t := identity.Tenant{Mode: mode, Merchant: m.Code}
		s.addMember(tx, t, member.NewOwner(t, m.Email, m.CreatedAt))
		tx.Put(s.table.Put(memberCount{key: memberCountKey(t), Count: 1}))
	}
	taken := failure.Conflict("The merchant already exists.")
	err := s.resolveWrite(ctx, item.key, written{item.WriteID, m.Version}, taken, tx.Run(ctx))
	if errors.Is(err, ErrStale) {
		return taken
	}
	return err
}

// errNoMerchant is the failure of every read of an unknown merchant.
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

// SaveMerchant replaces the merchant that was read, and returns it with its next
// version. Only SaveMerchantState changes payout schedules. Error: ErrStale when
// the merchant changed meanwhile.
func (s *Store) SaveMerchant(ctx context.Context, m merchant.Merchant) (merchant.Merchant, error) {
	saved, err := s.SaveMerchantState(ctx, merchant.State{Merchant: m})
	return saved.Merchant, err
}

// MerchantState reads a merchant, then its payout schedules. Every change of the
// settings that schedules depend on also writes the merchant, so saving a state
// whose parts do not belong together fails, also where a schedule did not exist
// yet. Failure: NotFound.
func (s *Reader) MerchantState(ctx context.Context, code string) (merchant.State, error) {
	m, err := s.Merchant(ctx, code)
	state := merchant.State{Merchant: m}
	if err != nil {
		return state, err
	}
	wanted, modes := []key{}, map[key]identity.Mode{}
	for _, mode := range identity.Modes {
		k := payoutScheduleKey(identity.Tenant{Mode: mode, Merchant: code})
		wanted, modes[k] = append(wanted, k), mode
	}
	var found []scheduleItem
	err = s.batch(ctx, wanted, true, &found)
	for _, item := range found {
		state.Schedules = state.Schedules.With(modes[item.key], &item.PayoutSchedule)
	}
	return state, err
}

// SaveMerchantState replaces the merchant and those of its payout schedules and
// bank accounts that are given, in one transaction, and returns them with their
// next versions. One of version 0 is a new one. Error: ErrStale when any of them
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
		if accounts := state.Accounts.Of(mode); accounts != nil {
			next, put := s.replaceBankAccounts(identity.Tenant{Mode: mode, Merchant: item.Code}, *accounts)
			tx.Put(put)
			state.Accounts = state.Accounts.With(mode, &next)
		}
	}
	return state, s.resolveWrite(ctx, item.key, written{item.WriteID, state.Merchant.Version}, ErrStale, tx.Run(ctx))
}
