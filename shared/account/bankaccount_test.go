package account_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/account"
)

func TestPayableIsAVerifiedAccountThatCanBeFound(t *testing.T) {
	t.Parallel()
	const iban, number = "DE17100100100000005678", "00015678"
	for _, c := range []struct {
		name    string
		account account.BankAccount
		number  string
		payable bool
	}{
		{"nothing", account.BankAccount{BankCode: "001", BIC: "BANKDEFFXXX"}, "", false},
		{"IBAN", account.BankAccount{IBAN: iban}, iban, true},
		{"IBAN and number", account.BankAccount{IBAN: iban, AccountNumber: number}, iban, true},
		{"number alone", account.BankAccount{AccountNumber: number}, number, false},
		{"number and bank code", account.BankAccount{AccountNumber: number, BankCode: "001"}, number, true},
		{"number and BIC", account.BankAccount{AccountNumber: number, BIC: "BANKDEFFXXX"}, number, true},
	} {
		for _, status := range []account.BankAccountStatus{account.BankAccountPending, account.BankAccountVerified, account.BankAccountRejected} {
			c.account.Status = status
			want := c.payable && status == account.BankAccountVerified
			if c.account.Payable() != want || c.account.Number() != c.number {
				t.Errorf("%s, %s: payable %t, number %q", c.name, status, c.account.Payable(), c.account.Number())
			}
		}
	}
}

func TestTheSameAccountIsOrderedAlike(t *testing.T) {
	t.Parallel()
	one := account.BankAccount{ID: "a", Holder: "Shop", IBAN: "DE17100100100000005678", Status: account.BankAccountVerified}
	for name, c := range map[string]struct {
		change func(*account.BankAccount)
		same   bool
	}{
		"nothing":      {func(*account.BankAccount) {}, true},
		"given again":  {func(a *account.BankAccount) { a.ID = "b" }, true},
		"verification": {func(a *account.BankAccount) { a.Status = account.BankAccountPending }, true},
		"holder":       {func(a *account.BankAccount) { a.Holder = "Another" }, false},
		"IBAN":         {func(a *account.BankAccount) { a.IBAN = "DE88100100100000003333" }, false},
		"BIC":          {func(a *account.BankAccount) { a.BIC = "BANKDEFFXXX" }, false},
		"number":       {func(a *account.BankAccount) { a.IBAN, a.AccountNumber = "", "00015678" }, false},
		"bank":         {func(a *account.BankAccount) { a.BankCode = "001" }, false},
		"all":          {func(a *account.BankAccount) { *a = account.BankAccount{} }, false},
	} {
		other := one
		if c.change(&other); one.Same(other) != c.same || other.Same(one) != c.same {
			t.Errorf("%s: the same %t", name, one.Same(other))
		}
	}
}
