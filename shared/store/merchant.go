package store

import (
	"context"
	"errors"
	"reflect"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// merchantItem returns a merchant as stored. Callback secrets are derived from the platform's key, and never stored.
func merchantItem(m merchant.Merchant) storedItem { return newItem(merchantKey(m.Code), m, m.Version) }

// CreateMerchant stores a new merchant with its onboarding data, if any, its first keys, and its owner as the first
// member of each mode. It stores all of these or nothing, because a merchant without a key could not be used. The owner
// is the user with the merchant's address, who is created if missing. The merchant's audit begins with the items that
// are stored here. Failure: Conflict when the code is taken.
func (s *Store) CreateMerchant(ctx context.Context, by audit.By, m merchant.Merchant, a account.Account,
	keys ...identity.APIKey,
) error {
	m.Version = 1
	item := merchantItem(m)
	return retryWrite(func(bool) error {
		u, err := s.UserByEmail(ctx, m.Email)
		if err != nil {
			return err
		}
		return s.createMerchant(ctx, by, m, item, a, u, keys)
	})
}

// createMerchant errors with ErrStale when the owner's user was created meanwhile.
func (s *Store) createMerchant(ctx context.Context, by audit.By, m merchant.Merchant, item storedItem,
	a account.Account, u member.User, keys []identity.APIKey) error {
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item))
	tx.audit(identity.Tenant{Merchant: m.Code}, subjectMerchant, nil, merchant.State{Merchant: m}.ForAudit())
	if !a.UpdatedAt.IsZero() {
		a.Version = 1
		tx.replaceAccount(m.Code, account.Account{}, a)
	}
	for _, k := range keys {
		tx.putAPIKey(k)
	}
	isNew := u.Version == 0
	if isNew {
		u = member.User{ID: member.UserID("merchant " + m.Code), Email: m.Email, CreatedAt: m.CreatedAt}
		tx.putUser(u)
	}
	for _, mode := range m.Modes() {
		t := identity.Tenant{Mode: mode, Merchant: m.Code}
		owner := member.NewOwner(t, m.Email, u, m.CreatedAt)
		if !isNew { // access that the user allowed at other merchants does not reach this merchant
			owner = owner.EndAccess(m.CreatedAt)
		}
		tx.addMember(t, owner)
		tx.putMembership(t, owner)
		tx.Put(s.table.Put(memberCount{key: memberCountKey(t), Count: 1, Owners: 1}))
		tx.Put(s.table.Put(listedTenantItem(ListedTenant{Tenant: t})))
	}
	taken := failure.Conflict("The merchant already exists.")
	err := tx.runReplacement(ctx, item, errRefused)
	switch {
	case errors.Is(err, ErrStale):
		return taken
	case errors.Is(err, errRefused) && isNew: // another process created the user
		return ErrStale
	case errors.Is(err, errRefused):
		return taken
	default:
		return err
	}
}

// subjectMerchant is the subject of audit entries that name no part of the merchant.
const subjectMerchant = "merchant"

var errNoMerchant = failure.NotFound("There is no such merchant.")

// Merchant reads a merchant, consistently. Failure: NotFound.
func (s *View) Merchant(ctx context.Context, code string) (merchant.Merchant, error) {
	return readOne[merchant.Merchant](ctx, s, merchantKey(code), errNoMerchant)
}

// SaveMerchant replaces the merchant, without its payout schedules, and returns the merchant with its next version.
func (s *Store) SaveMerchant(ctx context.Context, by audit.By, before, after merchant.Merchant) (merchant.Merchant,
	error) {
	saved, err := s.SaveMerchantState(ctx, by, merchant.State{Merchant: before}, merchant.State{Merchant: after})
	return saved.Merchant, err
}

// MerchantState reads a merchant, then its payout schedules, and its bank accounts in the given modes. Every change of
// a setting that schedules depend on also writes the merchant. Saving a state whose parts do not belong together
// therefore fails, even if a schedule did not exist yet. Failure: NotFound.
func (s *View) MerchantState(ctx context.Context, code string, accountsOf ...identity.Mode) (merchant.State, error) {
	m, err := s.Merchant(ctx, code)
	state := merchant.State{Merchant: m}
	if err != nil {
		return state, err
	}
	schedules, accounts := map[identity.Mode]*merchant.PayoutSchedule{}, map[identity.Mode]*merchant.BankAccounts{}
	into := map[key]any{}
	for _, mode := range identity.Modes {
		schedules[mode] = &merchant.PayoutSchedule{}
		into[payoutScheduleKey(identity.Tenant{Mode: mode, Merchant: code})] = schedules[mode]
	}
	for _, mode := range accountsOf {
		accounts[mode] = &merchant.BankAccounts{}
		into[bankAccountsKey(identity.Tenant{Mode: mode, Merchant: code})] = accounts[mode]
	}
	err = s.readInto(ctx, into)
	for mode, schedule := range schedules {
		if schedule.Version > 0 {
			state.Schedules = state.Schedules.With(mode, schedule)
		}
	}
	for mode, read := range accounts {
		state.Accounts = state.Accounts.With(mode, read)
	}
	return state, err
}

// SaveMerchantState replaces the merchant and the given payout schedules and bank accounts, and adds the differences to
// the audit, in one transaction. Version 0 means a new item. SaveMerchantState returns the state with the next version
// of each item. Error: ErrStale when an item changed.
func (s *Store) SaveMerchantState(ctx context.Context, by audit.By, before, state merchant.State) (merchant.State,
	error) {
	if err := by.Check(); err != nil {
		return state, err
	}
	state.Merchant.Version = before.Merchant.Version + 1
	item, code := merchantItem(state.Merchant), state.Merchant.Code
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item))
	if was, is := before.ForAudit(), state.ForAudit(); !reflect.DeepEqual(was, is) {
		tx.audit(identity.Tenant{Mode: state.ModeForAudit(before), Merchant: code}, subjectMerchant, was, is)
	}
	for _, mode := range identity.Modes {
		t := identity.Tenant{Mode: mode, Merchant: code}
		if schedule := state.Schedules.Of(mode); schedule != nil {
			next := *schedule
			next.Version++
			tx.Put(s.replace(s.scheduleItem(t, next)))
			state.Schedules = state.Schedules.With(mode, &next)
		}
		if accounts := state.Accounts.Of(mode); accounts != nil {
			next := *accounts
			next.Version++
			tx.Put(s.replace(s.bankAccountsItem(t, next)))
			if number, changed := next.PrimaryChanged(before.BankAccounts(mode)); changed {
				tx.Put(s.putMail(t, mail.NewBankAccountChanged(versionOf(bankAccountsKey(t), next.Version), number)))
			}
			state.Accounts = state.Accounts.With(mode, &next)
		}
	}
	return state, tx.runReplacement(ctx, item, ErrStale)
}
