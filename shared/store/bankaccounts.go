package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// bankAccountsItem is all bank accounts of a tenant, due while one of them is
// pending verification.
type bankAccountsItem struct {
	key
	due
	merchant.BankAccounts
}

func (s *Store) newBankAccountsItem(t identity.Tenant, accounts merchant.BankAccounts) bankAccountsItem {
	item := bankAccountsItem{key: bankAccountsKey(t), BankAccounts: accounts}
	if !accounts.CheckAt.IsZero() {
		item.due = s.shards.dueAt(accounts.CheckAt, item.key)
	}
	return item
}

// BankAccounts reads a tenant's bank accounts, consistently; none before the first
// one was added.
func (s *View) BankAccounts(ctx context.Context, t identity.Tenant) (merchant.BankAccounts, error) {
	return readOne[merchant.BankAccounts](ctx, s, bankAccountsKey(t), nil)
}

// replaceBankAccounts writes accounts over the version they were made from; version
// 0 are the first. Only SaveMerchantState does so, which recognises its own write.
func (s *Store) replaceBankAccounts(t identity.Tenant,
	accounts merchant.BankAccounts) (merchant.BankAccounts, *dynamo.Put) {
	before := accounts.Version
	accounts.Version++
	return accounts, s.overVersion(s.table.Put(s.newBankAccountsItem(t, accounts)), before)
}
