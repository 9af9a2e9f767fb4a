package run

import (
	"context"
	"errors"
	"reflect"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// ChangeBankAccounts makes a change in the same way as ChangeMerchant. The state that it passes to the change also has
// the tenant's bank accounts.
func (r *Runner) ChangeBankAccounts(ctx context.Context, by audit.By, t identity.Tenant,
	change func(merchant.State) (merchant.State, error)) (merchant.State, error) {
	return r.changeState(ctx, by, func() (merchant.State, error) {
		return r.Store.MerchantState(ctx, t.Merchant, t.Mode)
	}, change)
}

// RefreshBankAccounts asks the bank about the pending account, records a final verdict, and returns all accounts. If it
// cannot ask the bank or record the verdict, it returns the accounts as they were, without an error, because the sweep
// asks again.
func (r *Runner) RefreshBankAccounts(ctx context.Context, by audit.By, t identity.Tenant) (merchant.BankAccounts,
	error) {
	accounts, err := r.Store.BankAccounts(ctx, t)
	if err != nil {
		return accounts, err
	}
	pending, verdict, err := r.verify(ctx, t, accounts)
	if err == nil && verdict == merchant.BankAccountPending {
		return accounts, nil
	}
	decided := accounts
	if err == nil {
		decided, err = r.recordVerdict(ctx, by, t, pending.ID, verdict)
	}
	if err != nil {
		r.Log.WarnContext(ctx, "bank account not verified", "tenant", t.String(), "account", pending.ID, "error", err)
		return accounts, nil
	}
	return decided, nil
}

// AddBankAccount adds an account as pending, under the id that the caller has set. It returns all accounts. Failures:
// those of merchant.BankAccounts.Add.
func (r *Runner) AddBankAccount(ctx context.Context, by audit.By, t identity.Tenant, a merchant.BankAccount,
	primary bool) (merchant.BankAccounts, error) {
	add := func(accounts merchant.BankAccounts) (merchant.BankAccounts, error) {
		return accounts.Add(a, primary, r.Store.Now())
	}
	added, err := r.changeAccounts(ctx, by, t, add)
	if !errors.Is(err, merchant.ErrVerificationPending) {
		return added, err
	}
	// Meanwhile the bank may have decided about the other pending account.
	if settled, unsettled := r.RefreshBankAccounts(ctx, by, t); unsettled != nil {
		return settled, unsettled
	}
	return r.changeAccounts(ctx, by, t, add)
}

// DecideBankAccount records an operator's verdict unless the bank has already decided. It returns the tenant's
// accounts.
func (r *Runner) DecideBankAccount(ctx context.Context, by audit.By, t identity.Tenant, id string,
	verdict merchant.BankAccountStatus) (merchant.BankAccounts, error) {
	if accounts, err := r.RefreshBankAccounts(ctx, by, t); err != nil {
		return accounts, err
	}
	return r.changeAccounts(ctx, by, t, func(accounts merchant.BankAccounts) (merchant.BankAccounts, error) {
		return accounts.Decide(id, verdict), nil
	})
}

// CheckBankAccounts asks the bank about the tenant's pending account, if there is one, and schedules the next check. If
// the bank returns an error, CheckBankAccounts also schedules the next check, so that an outage does not fill every
// tick of the sweep. It then returns the error.
func (r *Runner) CheckBankAccounts(ctx context.Context, by audit.By, t identity.Tenant) error {
	accounts, err := r.Store.BankAccounts(ctx, t)
	if err != nil {
		return err
	}
	pending, verdict, err := r.verify(ctx, t, accounts)
	if pending.ID == "" {
		return err
	}
	if err != nil {
		verdict = merchant.BankAccountPending
	}
	_, decideErr := r.recordVerdict(ctx, by, t, pending.ID, verdict)
	return errors.Join(err, decideErr)
}

// verify asks the bank about the pending account. If there is no pending account, the verdict is Pending.
func (r *Runner) verify(ctx context.Context, t identity.Tenant,
	accounts merchant.BankAccounts) (merchant.BankAccount, merchant.BankAccountStatus, error) {
	pending, is := accounts.Pending()
	if !is {
		return pending, merchant.BankAccountPending, nil
	}
	b := r.Banks[t.Mode]
	if b == nil {
		return pending, merchant.BankAccountPending, errNoBank
	}
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	verdict, err := b.Verify(ctx, bank.Verification{Tenant: t.String(), Account: pending})
	return pending, verdict, err
}

// recordVerdict records the bank's verdict about an account. The verdict Pending records that the bank was asked
// without a result.
func (r *Runner) recordVerdict(ctx context.Context, by audit.By, t identity.Tenant, id string,
	verdict merchant.BankAccountStatus) (merchant.BankAccounts, error) {
	decided, err := r.changeAccounts(ctx, by.Bank(), t, func(accounts merchant.BankAccounts) (merchant.BankAccounts,
		error) {
		return accounts.Decide(id, verdict).Postponed(r.Store.Now()), nil
	})
	if err == nil && verdict != merchant.BankAccountPending {
		r.Log.InfoContext(ctx, "bank account decided", "tenant", t.String(), "account", id, "status", verdict)
	}
	return decided, err
}

// changeAccounts applies a rule to the tenant's accounts. It changes nothing else.
func (r *Runner) changeAccounts(ctx context.Context, by audit.By, t identity.Tenant,
	rule func(merchant.BankAccounts) (merchant.BankAccounts, error)) (merchant.BankAccounts, error) {
	state, err := r.ChangeBankAccounts(ctx, by, t, func(s merchant.State) (merchant.State, error) {
		before := s.BankAccounts(t.Mode)
		after, err := rule(before)
		if err != nil || reflect.DeepEqual(before, after) {
			return s, err
		}
		return s.WithBankAccounts(t.Mode, after), nil
	})
	return state.BankAccounts(t.Mode), err
}
