package run_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// keepChanging makes another change to the merchant before each transaction, until the test stops it.
func (h *fixture) keepChanging() {
	within := false
	h.wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" && !within {
			within = true
			h.wire.Free(func() {
				_, err := h.ChangeMerchant(h.Context(), byTest, tenant.Merchant, func(s merchant.State) (merchant.State, error) {
					s.Merchant.PayPal = !s.Merchant.PayPal
					return s, nil
				})
				if err != nil {
					h.Error(err)
				}
			})
			within = false
		}
		return faults.None
	})
}

// TestRefreshBankAccounts_AnswerNotRecorded checks that the call returns the accounts unchanged if the verdict cannot
// be recorded. A read never ends in a conflict (contract §7.3).
func TestRefreshBankAccounts_AnswerNotRecorded(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	a := newAccount(oneIBAN)
	if _, err := h.AddBankAccount(t.Context(), byTest, tenant, a, false); err != nil {
		t.Fatal(err)
	}
	h.verdict = merchant.BankAccountVerified
	h.keepChanging()
	accounts, err := h.RefreshBankAccounts(t.Context(), byTest, tenant)
	if got, _ := accounts.Get(a.ID); err != nil || got.Status != merchant.BankAccountPending {
		t.Errorf("got %+v, %v, want it pending", got, err)
	}
	if _, err = h.AddBankAccount(t.Context(), byTest, tenant, newAccount(oneIBAN), false); !errors.Is(err,
		merchant.ErrVerificationPending) {
		t.Errorf("another: got error %v, want ErrVerificationPending", err)
	}
	if err = h.CheckBankAccounts(t.Context(), byTest, tenant); !errors.Is(err, store.ErrContended) {
		t.Errorf("checked: got error %v, want ErrContended", err)
	}
	h.wire.Inject(nil)
	if _, err = h.RefreshBankAccounts(t.Context(), byTest, tenant); err != nil {
		t.Error(err)
	}
	h.wantPaid("then", oneIBAN)
}
