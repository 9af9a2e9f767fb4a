package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// bankAccountsItem returns all bank accounts of a tenant as stored, due while one of them is
// pending verification. Only SaveMerchantState writes them, which recognises its own write.
func (s *Store) bankAccountsItem(t identity.Tenant, accounts merchant.BankAccounts) storedItem {
	item := storedItem{key: bankAccountsKey(t), value: accounts, version: accounts.Version}
	if !accounts.CheckAt.IsZero() {
		item.due = s.shards.dueAt(accounts.CheckAt, item.key)
	}
	return item
}

// BankAccounts reads a tenant's bank accounts; none before the first was added.
func (s *View) BankAccounts(ctx context.Context, t identity.Tenant) (merchant.BankAccounts, error) {
	return readOne[merchant.BankAccounts](ctx, s, bankAccountsKey(t), nil)
}
