package merchant_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

func TestCanReceive(t *testing.T) {
	t.Parallel()
	const iban, number = "DE17100100100000005678", "00015678"
	for _, c := range []struct {
		name    string
		account merchant.BankAccount
		number  string
		routed  bool
	}{
		{"nothing", merchant.BankAccount{BankCode: "001", BIC: "BANKDEFFXXX"}, "", false},
		{"IBAN", merchant.BankAccount{IBAN: iban}, iban, true},
		{"IBAN and number", merchant.BankAccount{IBAN: iban, AccountNumber: number}, iban, true},
		{"number alone", merchant.BankAccount{AccountNumber: number}, number, false},
		{"number and bank code", merchant.BankAccount{AccountNumber: number, BankCode: "001"}, number, true},
		{"number and branch", merchant.BankAccount{AccountNumber: number, BranchCode: "200000"}, number, true},
		{"number and BIC", merchant.BankAccount{AccountNumber: number, BIC: "BANKDEFFXXX"}, number, true},
	} {
		for _, status := range []merchant.BankAccountStatus{merchant.BankAccountPending, merchant.BankAccountVerified,
			merchant.BankAccountRejected} {
			c.account.Status = status
			want := c.routed && status == merchant.BankAccountVerified
			if c.account.CanReceive() != want || c.account.Number() != c.number {
				t.Errorf("%s, %s: got %t and number %q, want %t and %q", c.name, status, c.account.CanReceive(),
					c.account.Number(), want, c.number)
			}
		}
	}
}

func TestBankAccount_Same(t *testing.T) {
	t.Parallel()
	one := merchant.BankAccount{ID: "a", Holder: "Shop", IBAN: "DE17100100100000005678",
		Status: merchant.BankAccountVerified}
	for name, c := range map[string]struct {
		change func(*merchant.BankAccount)
		same   bool
	}{
		"nothing":      {func(*merchant.BankAccount) {}, true},
		"given again":  {func(a *merchant.BankAccount) { a.ID = "b" }, true},
		"verification": {func(a *merchant.BankAccount) { a.Status = merchant.BankAccountPending }, true},
		"holder":       {func(a *merchant.BankAccount) { a.Holder = "Another" }, false},
		"IBAN":         {func(a *merchant.BankAccount) { a.IBAN = "DE88100100100000003333" }, false},
		"BIC":          {func(a *merchant.BankAccount) { a.BIC = "BANKDEFFXXX" }, false},
		"number":       {func(a *merchant.BankAccount) { a.IBAN, a.AccountNumber = "", "00015678" }, false},
		"bank":         {func(a *merchant.BankAccount) { a.BankCode = "001" }, false},
		"branch":       {func(a *merchant.BankAccount) { a.BranchCode = "0001" }, false},
		"check digit":  {func(a *merchant.BankAccount) { a.CheckDigit = "X" }, false},
		"time":         {func(a *merchant.BankAccount) { a.CreatedAt = addedAt }, true},
		"kind":         {func(a *merchant.BankAccount) { a.Type, a.Category = merchant.Savings, merchant.Personal }, true},
		"all":          {func(a *merchant.BankAccount) { *a = merchant.BankAccount{} }, false},
	} {
		other := one
		if c.change(&other); one.Same(other) != c.same || other.Same(one) != c.same {
			t.Errorf("%s: got %t, the other way %t, want %t", name, one.Same(other), other.Same(one), c.same)
		}
	}
}
