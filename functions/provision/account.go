package provision

import (
	"context"
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// updateAccount changes a merchant's recorded account by a merge patch (account.Account.Merge).
type updateAccount struct {
	MerchantCode string          `json:"merchant_code" validate:"required"`
	Account      json.RawMessage `json:"account" validate:"required"`
}

type accountUpdated struct {
	MerchantCode string   `json:"merchant_code"`
	Version      int      `json:"version"` // grows by one with each change
	Persons      []string `json:"persons"` // ids of the persons, in order
}

func (o operator) updateAccount(ctx context.Context, c updateAccount) (accountUpdated, error) {
	next, err := store.Retry(func(bool) (account.Account, error) { return o.changeAccount(ctx, c) })
	if err != nil {
		return accountUpdated{}, err
	}
	o.Log.InfoContext(ctx, "account updated", "merchant", c.MerchantCode, "version", next.Version)
	answer := accountUpdated{MerchantCode: c.MerchantCode, Version: next.Version, Persons: []string{}}
	for _, p := range next.Persons {
		answer.Persons = append(answer.Persons, p.ID)
	}
	return answer, nil
}

// changeAccount stores the account with the change, unless the account already has the values. Error: store.ErrStale.
func (o operator) changeAccount(ctx context.Context, c updateAccount) (account.Account, error) {
	m, err := o.Store.Merchant(ctx, c.MerchantCode)
	if err != nil {
		return account.Account{}, err
	}
	before, err := o.Store.Account(ctx, m.Code)
	if err != nil {
		return before, err
	}
	next, differs, err := o.mergeAccount(before, m, c.Account)
	if err != nil || !differs {
		return before, err
	}
	return o.Store.SaveAccount(ctx, o.by, m, before, next)
}

// mergeAccount returns the account with the change, and true if anything differs. If so, it sets the time of update.
func (o operator) mergeAccount(a account.Account, m merchant.Merchant, change json.RawMessage,
) (next account.Account, differs bool, err error) {
	next, err = a.Merge(m, change, o.Now())
	if err != nil {
		if refused := failure.Of(err); refused.Param != "" {
			return a, false, refused.In("account")
		}
		return a, false, failure.Invalid("account", failure.Of(err).Message)
	}
	same, err := a.Same(next)
	if err == nil && !same {
		next.UpdatedAt = o.Now()
	}
	return next, !same, err
}

// showAccount shows a merchant's recorded account, in the form that update_account takes.
type showAccount struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
}

type accountShown struct {
	MerchantCode string          `json:"merchant_code"`
	Version      int             `json:"version"`
	Account      account.Account `json:"account"`
}

func (o operator) showAccount(ctx context.Context, c showAccount) (accountShown, error) {
	m, err := o.Store.Merchant(ctx, c.MerchantCode)
	if err != nil {
		return accountShown{}, err
	}
	a, err := o.Store.Account(ctx, m.Code)
	return accountShown{MerchantCode: m.Code, Version: a.Version, Account: a}, err
}
