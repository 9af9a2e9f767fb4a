package provision

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/optional"
)

// listBankAccounts lists a merchant's bank accounts, oldest first. Without a merchant, it lists all live accounts that
// wait for verify_bank_account.
type listBankAccounts struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`  // live or test; by default the mode of the first key
	Limit        *int   `json:"limit"` // number of waiting accounts to list: 1-1000, 100 unless given
}

type bankAccountsListed struct {
	Accounts []bankAccountView `json:"bank_accounts"`
}

// bankAccountView has the whole account number, which the operator needs to verify the account.
type bankAccountView struct {
	Tenant        string                     `json:"tenant"`
	ID            string                     `json:"account"`
	Status        merchant.BankAccountStatus `json:"status"`
	Primary       bool                       `json:"primary,omitempty"`
	Paid          bool                       `json:"paid,omitempty"` // payouts go to this account
	Holder        string                     `json:"holder"`
	IBAN          string                     `json:"iban,omitempty"`
	BIC           string                     `json:"bic,omitempty"`
	BankCode      string                     `json:"bank_code,omitempty"`
	BranchCode    string                     `json:"branch_code,omitempty"`
	AccountNumber string                     `json:"account_number,omitempty"`
	CheckDigit    string                     `json:"check_digit,omitempty"`
	CreatedAt     time.Time                  `json:"created_at"`
}

func viewBankAccount(t identity.Tenant, accounts merchant.BankAccounts, a merchant.BankAccount) bankAccountView {
	view := newBankAccountView(t.String(), a)
	view.Primary, view.Paid = a.ID == accounts.Primary, a.ID == accounts.Paid
	return view
}

func newBankAccountView(tenant string, a merchant.BankAccount) bankAccountView {
	return bankAccountView{Tenant: tenant, ID: a.ID, Status: a.Status, Holder: a.Holder, IBAN: a.IBAN, BIC: a.BIC,
		BankCode: a.BankCode, BranchCode: a.BranchCode, AccountNumber: a.AccountNumber, CheckDigit: a.CheckDigit,
		CreatedAt: a.CreatedAt}
}

const defaultWaiting = 100

func (o operator) listBankAccounts(ctx context.Context, c listBankAccounts) (bankAccountsListed, error) {
	listed := bankAccountsListed{Accounts: []bankAccountView{}}
	if c.MerchantCode == "" {
		waiting, err := banking.File(o.App).Asked(ctx, limitOr(c.Limit, defaultWaiting))
		for _, v := range waiting {
			listed.Accounts = append(listed.Accounts, newBankAccountView(v.Tenant, v.Account))
		}
		return listed, err
	}
	t, err := o.findTenant(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return listed, err
	}
	accounts, err := banking.Open(o.App).RefreshBankAccounts(ctx, o.by, t)
	for _, a := range accounts.All {
		listed.Accounts = append(listed.Accounts, viewBankAccount(t, accounts, a))
	}
	return listed, err
}

// verifyBankAccount decides if an account belongs to its holder (contract §7.3). The decision is final, but the command
// may be repeated. The command names the account, because another account may be pending by the time the operator has
// checked the first.
type verifyBankAccount struct {
	tenantArguments
	Account string `json:"account" validate:"required"` // the account's id, from list_bank_accounts
	Outcome string `json:"outcome" validate:"required one-of=verified|rejected"`
}

// verdicts maps an operator's outcomes to statuses.
var verdicts = map[string]merchant.BankAccountStatus{"verified": merchant.BankAccountVerified,
	"rejected": merchant.BankAccountRejected}

func (o operator) verifyBankAccount(ctx context.Context, t identity.Tenant, c verifyBankAccount) (bankAccountView,
	error) {
	accounts, err := o.Store.BankAccounts(ctx, t)
	if err != nil {
		return bankAccountView{}, err
	}
	account, there := accounts.Get(c.Account)
	verdict := verdicts[c.Outcome]
	switch {
	case !there:
		return bankAccountView{}, failure.NotFound("The merchant has no such bank account.")
	case account.Status != merchant.BankAccountPending && account.Status != verdict:
		return bankAccountView{}, file.ErrDecided
	}
	if accounts, err = o.decide(ctx, t, account, verdict); err != nil {
		return bankAccountView{}, err
	}
	account, _ = accounts.Get(c.Account)
	if account.Status != merchant.BankAccountPending && account.Status != verdict {
		return bankAccountView{}, file.ErrDecided
	}
	o.Log.InfoContext(ctx, "bank account verified", "tenant", t.String(), "account", c.Account, "status", account.Status)
	return viewBankAccount(t, accounts, account), nil
}

// decide records the verdict and returns the accounts. In live mode it also tells the bank of files, which stores the
// verdict. The sandbox bank stores no verdicts.
func (o operator) decide(ctx context.Context, t identity.Tenant, account merchant.BankAccount,
	verdict merchant.BankAccountStatus) (merchant.BankAccounts, error) {
	payouts := banking.Open(o.App)
	if t.Mode == identity.Test {
		return payouts.DecideBankAccount(ctx, o.by, t, account.ID, verdict)
	}
	asked := bank.Verification{Tenant: t.String(), Account: account}
	if err := banking.File(o.App).Decide(ctx, asked, verdict); err != nil {
		return merchant.BankAccounts{}, err
	}
	return payouts.RefreshBankAccounts(ctx, o.by, t)
}

// vouch tells the bank of files that the operator vouches for an account. The bank then stops asking about that
// account.
func (o operator) vouch(ctx context.Context, t identity.Tenant, vouched merchant.BankAccount) error {
	if t.Mode != identity.Live || vouched.ID == "" {
		return nil
	}
	err := banking.File(o.App).Decide(ctx, bank.Verification{Tenant: t.String(), Account: vouched},
		merchant.BankAccountVerified)
	if errors.Is(err, file.ErrDecided) { // the operator has already verified or rejected the account
		return nil
	}
	return err
}

// setPayout changes where a merchant is paid. A given account becomes VERIFIED and primary, because the operator
// vouches for it.
type setPayout struct {
	tenantArguments
	merchant.BankAccountChange
	Held optional.Of[bool] `json:"held"` // if true, no payout leaves until held is false again
}

type payoutSet struct {
	settingsOwner
	Holder string                     `json:"holder,omitempty"`
	Ending string                     `json:"account_ending,omitempty"` // the last four characters of the number
	Status merchant.BankAccountStatus `json:"account_status,omitempty"`
	Held   bool                       `json:"held"`
	NextAt time.Time                  `json:"next_at,omitzero"` // the end of the period that is paid out next
}

func (o operator) setPayout(ctx context.Context, t identity.Tenant, c setPayout) (payoutSet, error) {
	id := uuid.NewString()
	state, err := banking.Open(o.App).ChangeBankAccounts(ctx, o.by, t, func(s merchant.State) (merchant.State, error) {
		return c.apply(s, t.Mode, id, o.Now())
	})
	if err != nil {
		return payoutSet{}, err
	}
	schedule := state.Schedule(t.Mode)
	if err = o.vouch(ctx, t, schedule.To); err != nil {
		return payoutSet{}, err
	}
	o.Log.InfoContext(ctx, "bank account changed", "tenant", t.String(), "account", schedule.To.ID, "held", schedule.Held)
	return payoutSet{settingsOwner: ownerOf(state.Merchant, t.Mode), Holder: schedule.To.Holder,
		Ending: schedule.To.Ending(), Status: schedule.To.Status, Held: schedule.Held,
		NextAt: schedule.NextAt}, nil
}

// apply changes the account that is paid, and holds or releases payouts. id is the id for a new account.
func (c setPayout) apply(s merchant.State, mode identity.Mode, id string, now time.Time) (merchant.State, error) {
	if !c.Empty() {
		accounts := s.BankAccounts(mode)
		account, err := c.Apply(accounts.Payee(), id)
		if err != nil {
			return s, err
		}
		if accounts, err = accounts.Vouch(account, now); err != nil {
			return s, err
		}
		s = s.WithBankAccounts(mode, accounts)
	}
	if held, given := c.Held.Get(); given {
		schedule := s.Schedule(mode)
		schedule.Held = held
		s = s.WithSchedule(mode, schedule)
	}
	return s, nil
}
