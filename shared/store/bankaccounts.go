package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// bankAccountsItem returns a tenant's bank accounts as stored. The item is in the due index while an account is pending
// verification. It has no write id, because only SaveMerchantState writes it, and SaveMerchantState recognises its own
// write by the merchant's item.
func (s *Store) bankAccountsItem(t identity.Tenant, accounts merchant.BankAccounts) storedItem {
	item := storedItem{key: bankAccountsKey(t), value: accounts, version: accounts.Version}
	if !accounts.CheckAt.IsZero() {
		item.due = s.shards.dueAt(accounts.CheckAt, item.key)
	}
	return item
}

// BankAccounts reads a tenant's bank accounts. It returns none before the first was added.
func (s *View) BankAccounts(ctx context.Context, t identity.Tenant) (merchant.BankAccounts, error) {
	return readOne[merchant.BankAccounts](ctx, s, bankAccountsKey(t), nil)
}
