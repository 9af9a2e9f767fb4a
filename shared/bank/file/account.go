package file

import (
	"cmp"
	"regexp"

	"github.com/jacoelho/banking/bic"
	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Reasons of rejections, ISO 20022 ExternalStatusReason1Code.
const (
	reasonAccount = "AC01" // IncorrectAccountNumber
	reasonBank    = "RC01" // BankIdentifierIncorrect
)

// Forms of national numbers of accounts and banks: Max34Text and Max35Text with letters, digits and the usual
// separators.
var (
	accountNumber = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9. -]{0,32}[A-Za-z0-9])?$`)
	bankCode      = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9. -]{0,33}[A-Za-z0-9])?$`)
)

// refusalReason returns the reason why no file can name the account, or "" if the account is acceptable.
func refusalReason(a merchant.BankAccount) string {
	switch {
	case a.IBAN != "":
		if iban.Validate(a.IBAN) != nil {
			return reasonAccount
		}
	case !accountNumber.MatchString(nationalNumber(a)):
		return reasonAccount
	case nationalCode(a) == "" && !isBIC(a.BIC), !isCode(a.BankCode), !isCode(a.BranchCode):
		return reasonBank
	}
	return ""
}

func nationalNumber(a merchant.BankAccount) string { return a.AccountNumber + a.CheckDigit }

// nationalCode returns the code of the account's bank. Without such a code, it returns the code of the branch, which
// then also identifies the bank, as a sort code does.
func nationalCode(a merchant.BankAccount) string { return cmp.Or(a.BankCode, a.BranchCode) }

func isCode(text string) bool { return text == "" || bankCode.MatchString(text) }

func isBIC(text string) bool {
	_, err := bic.Parse(text)
	return err == nil
}

// inSEPA returns true if the SEPA scheme can carry the amount to the account. SEPA carries only euros, at most
// 999,999,999.99 (EPC125-05), and only to its own countries.
func inSEPA(amount money.Amount, a merchant.BankAccount) bool {
	within, err := iban.IsSEPA(a.IBAN)
	return err == nil && within && amount.Currency() == "EUR" && !amount.TooLarge()
}
