package merchant_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestNationalFaults_BrazilianCheckDigits uses the examples in the banks' rules.
func TestNationalFaults_BrazilianCheckDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ bank, branch, number, digit, name string }{
		{"001", "1584-9", "00210169", "6", "Banco do Brasil"},
		{"001", "", "210169", "6", "Banco do Brasil"},
		{"033", "0189", "01017417", "9", "Santander"},
		{"104", "2004", "00100000448", "6", "Caixa Econômica Federal"},
		{"237", "", "0301357", "P", "Bradesco"},
		{"341", "2545", "02366", "1", "Itaú"},
		{"341", "2545", "2366", "1", "Itaú"},
	} {
		right := 0
		for _, digit := range "0123456789XP" {
			a := merchant.BankAccount{BankCode: c.bank, BranchCode: c.branch, AccountNumber: c.number,
				CheckDigit: string(digit)}
			faults := a.NationalFaults("BR")
			fits := string(digit) == c.digit || c.digit == "P" && digit == '0' // Bradesco's P may also be written 0
			if fits != (len(faults) == 0) || !fits && !faults.Names("check_digit") {
				t.Errorf("%+v: got faults %v, want it to fit %t", a, faults, fits)
			}
			if len(faults) == 0 {
				right++
			}
		}
		within := merchant.BankAccount{BankCode: c.bank, BranchCode: c.branch, AccountNumber: c.number + "-" + c.digit}
		if faults := within.NationalFaults("BR"); len(faults) > 0 || right == 0 {
			t.Errorf("%+v: got faults %v, %d digits that fit, want it to fit", within, faults, right)
		}
		within.AccountNumber = c.number + "-" + map[bool]string{true: "2", false: "3"}[c.digit != "2"]
		if faults := within.NationalFaults("BR"); !faults.Names("account_number") {
			t.Errorf("%+v: got faults %v, want one of the number", within, faults)
		}
		if got := within.BankName("BR"); got != c.name {
			t.Errorf("%s: got name %q, want %q", c.bank, got, c.name)
		}
	}
}

func TestNationalFaults_BancoDoBrasilRemainders(t *testing.T) {
	t.Parallel()
	for sum, digit := range map[string]string{"00000000": "0", "00000006": "X", "00000010": "8"} {
		a := merchant.BankAccount{BankCode: "001", AccountNumber: sum, CheckDigit: digit}
		if faults := a.NationalFaults("BR"); len(faults) > 0 {
			t.Errorf("%s-%s: got %v, want it to fit", sum, digit, faults)
		}
	}
}

// TestNationalFaults_Forms checks that only the form of a number is checked if no rule for its digits is published.
func TestNationalFaults_Forms(t *testing.T) {
	t.Parallel()
	type account = merchant.BankAccount
	for _, c := range []struct {
		name, country string
		account       account
		fault         string
	}{
		{"sort code", "GB", account{BankCode: "200000", AccountNumber: "55779911"}, ""},
		{"with hyphens", "GB", account{BankCode: "20-00-00", AccountNumber: "55779911"}, ""},
		{"as a branch", "GB", account{BranchCode: "20 00 00", AccountNumber: "55779911"}, ""},
		{"too short", "GB", account{BankCode: "20000", AccountNumber: "55779911"}, "bank_code"},
		{"too long", "GB", account{BranchCode: "2000000", AccountNumber: "55779911"}, "branch_code"},
		{"letters", "GB", account{BankCode: "BARC20", AccountNumber: "55779911"}, "bank_code"},
		{"7 digits", "GB", account{BankCode: "200000", AccountNumber: "5577991"}, "account_number"},
		{"9 digits", "GB", account{BankCode: "200000", AccountNumber: "557799111"}, "account_number"},
		{"a check digit", "GB", account{BankCode: "200000", AccountNumber: "55779911", CheckDigit: "1"}, "check_digit"},
		{"an IBAN instead", "GB", account{BankCode: "x", IBAN: "GB29NWBK60161331926819"}, ""},
		{"holder alone", "GB", account{Holder: "Shop"}, ""},
		{"another country's", "DE", account{BankCode: "BARC20", AccountNumber: "1"}, ""},

		{"routing number", "US", account{BankCode: "021000021", AccountNumber: "1234567"}, ""},
		{"as a branch", "US", account{BranchCode: "011401533", AccountNumber: "A-123 4"}, ""},
		{"8 digits", "US", account{BankCode: "02100002", AccountNumber: "1"}, "bank_code"},
		{"10 digits", "US", account{BankCode: "0210000210", AccountNumber: "1"}, "bank_code"},
		{"a hyphen", "US", account{BranchCode: "02100-0021", AccountNumber: "1"}, "branch_code"},
		{"a wrong last digit", "US", account{BankCode: "021000022", AccountNumber: "1"}, "bank_code"},
		{"digits that changed places", "US", account{BankCode: "012000021", AccountNumber: "1"}, "bank_code"},
		{"17 digits", "US", account{BankCode: "021000021", AccountNumber: "12345678901234567"}, ""},
		{"18 digits", "US", account{BankCode: "021000021", AccountNumber: "123456789012345678"}, "account_number"},
		{"a check digit", "US", account{BankCode: "021000021", AccountNumber: "1", CheckDigit: "1"}, "check_digit"},
		{"an IBAN instead", "US", account{BankCode: "x", IBAN: "GB29NWBK60161331926819"}, ""},

		{"a bank without a rule", "BR", account{BankCode: "260", BranchCode: "0001", AccountNumber: "1234567-8"}, ""},
		{"4 digits", "BR", account{BankCode: "0001", AccountNumber: "1"}, "bank_code"},
		{"2 digits", "BR", account{BankCode: "01", AccountNumber: "1"}, "bank_code"},
		{"a long branch", "BR", account{BranchCode: "00001", AccountNumber: "1"}, "branch_code"},
		{"13 digits", "BR", account{BankCode: "260", AccountNumber: "1234567890123"}, ""},
		{"14 digits and one to check", "BR", account{BankCode: "260", AccountNumber: "12345678901234-5"}, "account_number"},
		{"two check digits", "BR", account{BankCode: "260", AccountNumber: "1", CheckDigit: "12"}, "check_digit"},
		{"one in the number, too", "BR", account{BankCode: "260", AccountNumber: "123456-8", CheckDigit: "8"}, "check_digit"},
		{"no check digit", "BR", account{BankCode: "001", AccountNumber: "00210169"}, ""},
		{"no branch to check it with", "BR", account{BankCode: "341", AccountNumber: "02366", CheckDigit: "2"}, ""},
		{"longer than the rule's", "BR", account{BankCode: "001", AccountNumber: "900210169", CheckDigit: "1"}, ""},
		{"lower case", "BR", account{BankCode: "001", AccountNumber: "6", CheckDigit: "x"}, ""},
	} {
		faults := c.account.NationalFaults(c.country)
		if (c.fault == "") != (len(faults) == 0) || c.fault != "" && !faults.Names(c.fault) {
			t.Errorf("%s, %s: got faults %v, want one of %q", c.country, c.name, faults, c.fault)
		}
		if name := c.account.BankName("GB"); name != "" {
			t.Errorf("%s: got name %q, want none", c.name, name)
		}
	}
}

// TestUnpayable checks, for each country, the fields without which no transfer can name the account (contract §7.3).
func TestUnpayable(t *testing.T) {
	t.Parallel()
	type account = merchant.BankAccount
	for _, c := range []struct {
		country string
		account account
		missing string // "": no field is missing
	}{
		{"DE", account{Holder: "Shop"}, "iban"},
		{"DE", account{BIC: "MARKDEFF"}, "iban"},
		{"DE", account{CheckDigit: "1"}, "iban"},
		{"DE", account{BankCode: "10010010"}, "account_number"},
		{"DE", account{AccountNumber: "5678"}, "bank_code"},
		{"DE", account{AccountNumber: "5678", BankCode: "10010010"}, ""},
		{"DE", account{AccountNumber: "5678", BIC: "MARKDEFF"}, ""},
		{"FR", account{AccountNumber: "5678", BranchCode: "00001"}, ""},
		{"DE", account{IBAN: "DE17100100100000005678"}, ""},
		{"CH", account{}, "iban"},
		{"PL", account{}, "iban"},
		{"GB", account{}, "iban"},
		{"GB", account{AccountNumber: "55779911"}, "bank_code"},
		{"GB", account{AccountNumber: "55779911", BIC: "BARCGB22"}, "bank_code"},
		{"GB", account{BankCode: "200000"}, "account_number"},
		{"GB", account{AccountNumber: "55779911", BankCode: "200000"}, ""},
		{"GB", account{AccountNumber: "55779911", BranchCode: "200000"}, ""},
		{"GB", account{IBAN: "GB29NWBK60161331926819"}, ""},
		{"US", account{}, "account_number"},
		{"US", account{BIC: "CHASUS33"}, "account_number"},
		{"US", account{AccountNumber: "1"}, "bank_code"},
		{"US", account{AccountNumber: "1", BIC: "CHASUS33"}, "bank_code"},
		{"US", account{BankCode: "021000021"}, "account_number"},
		{"US", account{AccountNumber: "1", BankCode: "021000021"}, ""},
		{"US", account{AccountNumber: "1", BranchCode: "021000021"}, ""},
		{"US", account{IBAN: "DE17100100100000005678"}, ""},
		{"BR", account{}, "iban"},
		{"BR", account{AccountNumber: "1"}, "bank_code"},
		{"BR", account{AccountNumber: "1", BankCode: "260"}, "branch_code"},
		{"BR", account{AccountNumber: "1", BranchCode: "0001"}, "bank_code"},
		{"BR", account{AccountNumber: "1", BIC: "NUBABRSP"}, "bank_code"},
		{"BR", account{BankCode: "260", BranchCode: "0001"}, "account_number"},
		{"BR", account{AccountNumber: "1", BankCode: "260", BranchCode: "0001"}, ""},
		{"CL", account{}, "account_number"},
		{"CL", account{AccountNumber: "1"}, "bank_code"},
		{"CL", account{AccountNumber: "1", BankCode: "012"}, ""},
		{"CO", account{AccountNumber: "1", BIC: "COLOCOBM"}, ""},
		{"CO", account{BIC: "COLOCOBM"}, "account_number"},
	} {
		faults := c.account.Unpayable(c.country)
		if (c.missing == "") != (len(faults) == 0) ||
			c.missing != "" && (!faults.Names(c.missing) || faults[0].Code != "MISSING") {
			t.Errorf("%s, %+v: got %v, want %q to be missing", c.country, c.account, faults, c.missing)
		}
	}
}
