package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Account reads a merchant's onboarding data, consistently. It returns the zero account when none is recorded. The data
// is stored beside the merchant, because few requests need it.
func (s *View) Account(ctx context.Context, code string) (account.Account, error) {
	return readOne[account.Account](ctx, s, accountKey(code), nil)
}

// SaveAccount replaces the merchant's onboarding data, and returns the data with its next version. If a fact changes
// that the merchant has a copy of, SaveAccount also writes the merchant. Error: ErrStale when the data or the merchant
// changed meanwhile.
func (s *Store) SaveAccount(ctx context.Context, by audit.By, m merchant.Merchant,
	before, a account.Account) (account.Account, error) {
	tx := s.newAuditedTx(by)
	if copied := a.CopiedToMerchant(); copied != m.Copied {
		m.Copied, m.Version = copied, m.Version+1
		tx.Put(s.replace(merchantItem(m)))
	}
	a.Version = before.Version + 1
	return a, tx.runReplacement(ctx, tx.replaceAccount(m.Code, before, a), ErrStale)
}

func (tx *auditedTx) replaceAccount(code string, before, a account.Account) storedItem {
	item := newItem(accountKey(code), a, a.Version)
	tx.Put(tx.store.replace(item))
	tx.audit(identity.Tenant{Merchant: code}, "account", before.ForAudit(before), a.ForAudit(before))
	return item
}
