package merchants

import (
	"context"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// bankAccountRequest is the body of createMyBankAccount. Payment files (ISO 20022) limit its lengths and characters.
type bankAccountRequest struct {
	Holder        string                                `json:"account_holder_name" validate:"required text=70"`
	IBAN          string                                `json:"iban" validate:"iban?"`
	BIC           string                                `json:"swift" validate:"bic?"`
	BankCode      string                                `json:"bank_code" validate:"pattern=^([A-Za-z0-9]([A-Za-z0-9.\\x20-]{0,33}[A-Za-z0-9])?)?$"`      //nolint:lll // a tag is one line
	BranchCode    string                                `json:"branch_code" validate:"pattern=^([A-Za-z0-9]([A-Za-z0-9.\\x20-]{0,33}[A-Za-z0-9])?)?$"`    //nolint:lll // a tag is one line
	AccountNumber string                                `json:"account_number" validate:"pattern=^([A-Za-z0-9]([A-Za-z0-9.\\x20-]{0,30}[A-Za-z0-9])?)?$"` //nolint:lll // a tag is one line
	CheckDigit    string                                `json:"check_digit" validate:"pattern=^[A-Za-z0-9]{0,2}$"`
	Type          optional.Of[merchant.AccountType]     `json:"account_type" validate:"one-of=CURRENT|SAVINGS"`
	Category      optional.Of[merchant.AccountCategory] `json:"account_category" validate:"one-of=PERSONAL|BUSINESS|personal|business"` //nolint:lll // a tag is one line
	Status        optional.Of[string]                   `json:"status" validate:"one-of=OPEN"`                                          // has no effect
	Primary       bool                                  `json:"primary"`
}

// account returns the bank account of a merchant in the country. Failure: Missing or Invalid, for the first bad field.
func (r bankAccountRequest) account(id, country string) (merchant.BankAccount, error) {
	a := merchant.BankAccount{ID: id, Holder: strings.TrimSpace(r.Holder), IBAN: validate.Machine(r.IBAN),
		BIC: validate.Machine(r.BIC), BankCode: r.BankCode, BranchCode: r.BranchCode, AccountNumber: r.AccountNumber,
		CheckDigit: strings.ToUpper(r.CheckDigit), Type: r.Type.Or(""),
		Category: merchant.AccountCategory(strings.ToUpper(string(r.Category.Or(""))))}
	if a.Holder == "" {
		return a, failure.Missing("account_holder_name")
	}
	return a, append(a.NationalFaults(country), a.Unpayable(country)...).First()
}

// bankAccountView is the object of contract §7.3, without unknown fields.
type bankAccountView struct {
	BankCode      string                     `json:"bank_code,omitempty"`
	BranchCode    string                     `json:"branch_code,omitempty"`
	BIC           string                     `json:"swift,omitempty"`
	AccountNumber string                     `json:"account_number,omitempty"`
	IBAN          string                     `json:"iban,omitempty"`
	Type          merchant.AccountType       `json:"account_type,omitempty"`
	Category      merchant.AccountCategory   `json:"account_category,omitempty"`
	Holder        string                     `json:"account_holder_name"`
	Status        merchant.BankAccountStatus `json:"status"`
	Primary       bool                       `json:"primary"`
	CreatedAt     rest.Timestamp             `json:"created_at"`
	BankName      string                     `json:"bank_name,omitempty"`
}

// bankAccountViews returns the views that the merchant sees: of all accounts, or only of the primary account.
func bankAccountViews(accounts merchant.BankAccounts, country string, onlyPrimary bool) []bankAccountView {
	views := []bankAccountView{}
	for _, a := range accounts.All {
		if primary := a.ID == accounts.Primary; primary || !onlyPrimary {
			views = append(views, bankAccountView{BankCode: a.BankCode, BranchCode: a.BranchCode, BIC: a.BIC,
				AccountNumber: a.AccountNumber, IBAN: a.IBAN, Type: a.Type, Category: a.Category, Holder: a.Holder,
				Status: a.Status, Primary: primary, CreatedAt: rest.Timestamp(a.CreatedAt), BankName: a.BankName(country)})
		}
	}
	return views
}

type bankAccountsQuery struct {
	Primary bool `query:"primary"` // only the primary account
}

// listBankAccounts lists the bank accounts, always as an array.
func (f family) listBankAccounts(ctx context.Context, req bankAccountsQuery) ([]bankAccountView, error) {
	m := rest.Merchant(ctx)
	if err := m.CheckProfileForRead(); err != nil {
		return nil, err
	}
	accounts, err := f.payouts.RefreshBankAccounts(ctx, rest.By(ctx), rest.Caller(ctx).Tenant)
	return bankAccountViews(accounts, m.Country, req.Primary), err
}

// listMyBankAccounts returns an array, or the primary account as an object (contract §14 number 12).
func (f family) listMyBankAccounts(ctx context.Context, req bankAccountsQuery) (any, error) {
	views, err := f.listBankAccounts(ctx, req)
	switch {
	case err != nil || !req.Primary:
		return views, err
	case len(views) == 0:
		return nil, failure.NotFound("There is no bank account.")
	default:
		return views[0], nil
	}
}

// createMyBankAccount adds a bank account, once for all retries under one Idempotency-Key.
func (f family) createMyBankAccount(ctx context.Context, req bankAccountRequest) (bankAccountView, error) {
	m, id := rest.Merchant(ctx), rest.OperationID(ctx)
	a, err := req.account(id, m.Country)
	if err == nil {
		err = m.CheckProfileForWrite()
	}
	if err != nil {
		return bankAccountView{}, err
	}
	accounts, err := f.payouts.AddBankAccount(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, a, req.Primary)
	if err != nil {
		return bankAccountView{}, err
	}
	added, _ := accounts.Get(id)
	accounts.All = []merchant.BankAccount{added}
	return bankAccountViews(accounts, m.Country, false)[0], nil
}
