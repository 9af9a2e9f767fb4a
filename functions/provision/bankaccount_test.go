package provision_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
)

type listedAccount struct {
	Status, Holder, IBAN string
	Primary, Paid        bool
}

type namedAccount struct {
	Tenant, Account string
	listedAccount
}

func (d operator) listAccounts(given fields) []namedAccount {
	d.Helper()
	given["command"] = "list_bank_accounts"
	return run[struct {
		Accounts []namedAccount `json:"bank_accounts"`
	}](d, given).Accounts
}

// listWaiting runs the sweep and returns the accounts that wait for the operator's verification.
func (d operator) listWaiting() []namedAccount {
	d.Helper()
	d.Clock.Advance(time.Minute)
	d.PassMinute()
	return d.listAccounts(fields{})
}

// addAccount adds a primary account of the merchant.
func (d operator) addAccount(m provisioned, iban string) {
	d.Helper()
	d.Must(201,
		d.Do(world.Request{Method: "POST", Path: "/v0.1/me/merchant-profile/bank-accounts", APIKey: m.Key.Plaintext,
			Body: fields{"account_holder_name": "Buch", "iban": iban, "primary": true}}))
}

func verification(m provisioned, account, outcome string) fields {
	return fields{"command": "verify_bank_account", "merchant_code": m.Code, "account": account, "outcome": outcome}
}

// TestVerifyBankAccount_Live checks that each account waits for the operator's decision, and that the decision is
// final. No log has an account number.
func TestVerifyBankAccount_Live(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := run[provisioned](d, registration(fields{"sandbox": false}))
	d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
	wantAll := func(want ...listedAccount) {
		t.Helper()
		var got []listedAccount
		for _, a := range d.listAccounts(fields{"merchant_code": m.Code}) {
			got = append(got, a.listedAccount)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("accounts (-want +got):\n%s", diff)
		}
	}
	const pending, verified, rejected = "PENDING_VERIFICATION", "VERIFIED", "REJECTED"
	for _, c := range []struct {
		iban, outcome, other string
		want                 []listedAccount
	}{
		{sandbox.RejectedIBAN, "rejected", "verified", []listedAccount{{verified, "Buch", sandbox.PaidIBAN, true, true},
			{rejected, "Buch", sandbox.RejectedIBAN, false, false}}},
		{sandbox.LostAnswerIBAN, "verified", "rejected", []listedAccount{{verified, "Buch", sandbox.PaidIBAN, false, false},
			{rejected, "Buch", sandbox.RejectedIBAN, false, false}, {verified, "Buch", sandbox.LostAnswerIBAN, true, true}}},
	} {
		d.addAccount(m, c.iban)
		waits := d.listWaiting()
		if len(waits) != 1 || waits[0].Tenant != "L#"+m.Code || waits[0].IBAN != c.iban || waits[0].Status != pending {
			t.Fatalf("%s: got %+v waiting, want it", c.iban, waits)
		}
		for range 2 { // the second command changes nothing
			run[fields](d, verification(m, waits[0].Account, c.outcome))
			wantAll(c.want...)
		}
		if got := d.runRefused(verification(m, waits[0].Account, c.other)); got.Code != "CONFLICT" {
			t.Errorf("%s, then %s: got %+v, want CONFLICT", c.outcome, c.other, got)
		}
		if left := d.listWaiting(); len(left) != 0 {
			t.Errorf("%s: got %+v still waiting, want none", c.outcome, left)
		}
	}
	d.addAccount(m, sandbox.ClosedIBAN)
	if waits := d.listWaiting(); len(waits) != 1 {
		t.Errorf("got %+v waiting, want one", waits)
	}
	d.setPayout(m, fields{"iban": sandbox.ClosedIBAN}) // the operator vouches for this account instead
	if left := d.listWaiting(); len(left) != 0 {
		t.Errorf("vouched for: got %+v still waiting, want none", left)
	}
	for _, iban := range []string{sandbox.PaidIBAN, sandbox.RejectedIBAN, sandbox.LostAnswerIBAN, sandbox.ClosedIBAN} {
		if strings.Contains(d.Logs.String(), iban) {
			t.Errorf("got a log with %s, want none", iban)
		}
	}
}

func TestVerifyBankAccount_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := run[provisioned](d, registration(fields{"sandbox": false})), d.createMerchant(nil)
	d.addAccount(m, sandbox.PaidIBAN)
	account := d.listWaiting()[0].Account
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{verification(m, "", "verified"), "MISSING", "account"},
		{verification(m, account, ""), "MISSING", "outcome"},
		{verification(m, account, "pending"), "INVALID", "outcome"},
		{verification(m, "unknown", "verified"), "NOT_FOUND", ""},
		{with(verification(other, account, "verified"), fields{"mode": "live"}), "INVALID", "mode"}, // other has no live mode
		{verification(other, account, "verified"), "NOT_FOUND", ""},
		{with(verification(m, account, "verified"), fields{"mode": "test"}), "NOT_FOUND", ""},
		{verification(run[provisioned](d, registration(fields{"sandbox": false})), account, "verified"), "NOT_FOUND", ""},
		{fields{"command": "list_bank_accounts", "limit": 0}, "INVALID", "limit"},
		{fields{"command": "list_bank_accounts", "limit": 1001}, "INVALID", "limit"},
		{fields{"command": "list_bank_accounts", "merchant_code": "MC00000000"}, "NOT_FOUND", ""},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
}

// TestVerifyBankAccount_TestMode decides accounts that the sandbox has not decided. The decision is final, even if the
// account's digits make the sandbox decide otherwise later.
func TestVerifyBankAccount_TestMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		iban, outcome string
		after         time.Duration
		want          string // "" if the sandbox decided first
		paid          bool
	}{
		"verified":           {sandbox.UnverifiedIBAN, "verified", time.Hour, "VERIFIED", true},
		"rejected":           {sandbox.UnverifiedIBAN, "rejected", time.Hour, "REJECTED", false},
		"rejected at once":   {sandbox.PaidIBAN, "rejected", time.Second, "REJECTED", false},
		"verified at once":   {sandbox.RejectedIBAN, "verified", time.Second, "VERIFIED", true},
		"verified as it was": {sandbox.PaidIBAN, "verified", time.Minute, "VERIFIED", true},
		"rejected too late":  {sandbox.PaidIBAN, "rejected", sandbox.VerifiedAfter, "", true},
		"verified too late":  {sandbox.RejectedIBAN, "verified", sandbox.VerifiedAfter, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newOperator(t)
			m := d.createMerchant(nil)
			d.addAccount(m, c.iban)
			d.Clock.Advance(c.after)
			stored, err := d.App.Store.BankAccounts(t.Context(), identity.Tenant{Mode: identity.Test, Merchant: m.Code})
			if err != nil || len(stored.All) != 1 {
				t.Fatalf("got %+v, %v, want one account", stored, err)
			}
			command := with(verification(m, stored.All[0].ID, c.outcome), fields{"mode": "test"})
			if c.want == "" {
				d.checkRefused(command, "CONFLICT", "")
			} else {
				for range 2 {
					if got := run[namedAccount](d, command); got.Status != c.want || got.Paid != c.paid {
						t.Errorf("got %+v, want it %s", got, c.want)
					}
				}
				other := map[string]string{"verified": "rejected", "rejected": "verified"}[c.outcome]
				d.checkRefused(with(command, fields{"outcome": other}), "CONFLICT", "")
			}
			d.Clock.Advance(time.Hour)
			d.PassMinute()
			if all := d.listAccounts(fields{"merchant_code": m.Code}); len(all) != 1 || all[0].Paid != c.paid ||
				c.want != "" && all[0].Status != c.want {
				t.Errorf("later: got %+v, want it paid: %t", all, c.paid)
			}
		})
	}
}

// TestVerifyBankAccount_Interrupted checks that the repetition or the sweep completes an interrupted command.
func TestVerifyBankAccount_Interrupted(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.DieAfter} {
		for step, reached := 1, true; reached; step++ {
			d := newOperator(t)
			m := run[provisioned](d, registration(fields{"sandbox": false}))
			d.addAccount(m, sandbox.PaidIBAN)
			command := verification(m, d.listWaiting()[0].Account, "verified")
			p := d.Process()
			p.Steps.Plan(step, fault)
			_ = client.Invoke(p.Invoke).Operate(t.Context(), command, nil)
			reached = len(p.Steps.Taken()) >= step
			p.Stop()
			if step%2 == 0 {
				run[fields](d, command)
			}
			left := d.listWaiting()
			if len(left) > 0 { // the account still waits, since the bank has no decision yet
				run[fields](d, command)
			}
			if all := d.listAccounts(fields{"merchant_code": m.Code}); len(all) != 1 || !all[0].Paid {
				t.Errorf("%s at step %d: got %+v, want it paid", fault, step, all)
			}
			if !reached && step < 5 {
				t.Errorf("%s: got %d steps, want 5 or more", fault, step)
			}
		}
	}
}
