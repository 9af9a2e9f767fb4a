package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// accountItem is a merchant's onboarding data: beside the merchant, because few
// requests need it.
type accountItem struct {
	key
	WriteID string `dynamo:"write_id"`
	account.Account
}

// Account reads a merchant's onboarding data, consistently; the zero account when
// nothing has been recorded.
func (s *View) Account(ctx context.Context, code string) (account.Account, error) {
	return readOne[account.Account](ctx, s, accountKey(code), nil)
}

// SaveAccount replaces the merchant's onboarding data that was read before, and
// returns it with its next version. If the owner's advanced mode changes, it also writes the merchant.
// Error: ErrStale when any of them changed meanwhile.
func (s *Store) SaveAccount(ctx context.Context, by audit.By, m merchant.Merchant,
	before, a account.Account) (account.Account, error) {
	tx := s.auditedTx(by)
	if advanced := a.AppSettings.InAdvancedMode(); advanced != m.AdvancedMode {
		version := m.Version
		m.AdvancedMode, m.Version = advanced, version+1
		tx.Put(s.table.Put(newMerchantItem(m)).If("version = ?", version))
	}
	item := tx.replaceAccount(m.Code, before, a)
	return item.Account, tx.runReplacement(ctx, item.key, written{item.WriteID, item.Version}, ErrStale)
}

// replaceAccount adds the account's next version, and the audit entry.
func (tx *auditedTx) replaceAccount(code string, before, a account.Account) accountItem {
	a.Version = before.Version + 1
	item := accountItem{key: accountKey(code), WriteID: newWriteID(), Account: a}
	tx.Put(tx.store.overVersion(tx.store.table.Put(item), before.Version))
	tx.audit(identity.Tenant{Merchant: code}, "account", before.ForAudit(before), a.ForAudit(before))
	return item
}
