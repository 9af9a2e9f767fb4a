package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
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
func (s *Reader) Account(ctx context.Context, code string) (account.Account, error) {
	var item accountItem
	err := s.get(accountKey(code)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return account.Account{}, nil
	}
	return item.Account, err
}

// SaveAccount replaces the merchant's onboarding data that was read, and returns
// it with its next version. Error: ErrStale when it changed meanwhile.
func (s *Store) SaveAccount(ctx context.Context, code string, a account.Account) (account.Account, error) {
	item, put := s.replaceAccount(code, a)
	err := s.db.WriteTx().Idempotent(true).Put(put).Run(ctx)
	return item.Account, s.resolveWrite(ctx, item.key, written{item.WriteID, item.Version}, ErrStale, err)
}

// replaceAccount is the account's next version, and its write.
func (s *Store) replaceAccount(code string, a account.Account) (accountItem, *dynamo.Put) {
	before := a.Version
	a.Version++
	item := accountItem{key: accountKey(code), WriteID: newWriteID(), Account: a}
	put := s.table.Put(item)
	if before == 0 {
		return item, put.If("attribute_not_exists(pk)")
	}
	return item, put.If("version = ?", before)
}
