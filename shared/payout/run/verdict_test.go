package run_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestRun_PendingVerdict checks a payout to an account for which no request has asked for the bank's verdict. The
// payout waits only until the sweep has asked the bank.
func TestRun_PendingVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict merchant.BankAccountStatus
		err     error
		primary bool
		asked   time.Duration // time after adding the account; 0: not asked yet
		waits   bool
		to      string
	}{
		"verified":             {merchant.BankAccountVerified, nil, true, 0, true, anotherIBAN},
		"rejected":             {merchant.BankAccountRejected, nil, true, 0, true, oneIBAN},
		"still pending":        {merchant.BankAccountPending, nil, true, 0, true, oneIBAN},
		"by a bank in trouble": {merchant.BankAccountVerified, faults.ErrNetwork, true, 0, true, oneIBAN},
		"asked just before":    {merchant.BankAccountPending, nil, true, day - time.Minute, false, oneIBAN},
		"one beside the payee": {merchant.BankAccountVerified, nil, false, 0, false, oneIBAN},
	} {
		h := openFixture(t)
		h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
		if _, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(anotherIBAN), c.primary); err != nil {
			t.Fatal(err)
		}
		h.pay(1)
		if h.Advance(c.asked); c.asked > 0 {
			if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
				t.Fatal(err)
			}
		}
		h.Advance(day - c.asked)
		h.verdict, h.verifyErr = c.verdict, c.err
		id := h.plan()
		if c.waits {
			h.want(name, h.run(id), "SEALED 10.10 1")
			_ = h.CheckBankAccounts(t.Context(), byTest, tenant) // the sweep calls this, too, and logs the error
		}
		h.want(name, h.run(id), "PAID 10.10 1")
		if got := h.requests[0].To.IBAN; got != c.to {
			t.Errorf("%s: got a payout to %s, want to %s", name, got, c.to)
		}
	}
}
