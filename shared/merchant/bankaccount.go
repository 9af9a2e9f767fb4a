package merchant

import (
	"cmp"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// BankAccountStatus is the state of an account's verification (contract §7.3).
type BankAccountStatus string

// The statuses.
const (
	BankAccountPending  BankAccountStatus = "PENDING_VERIFICATION"
	BankAccountVerified BankAccountStatus = "VERIFIED"
	BankAccountRejected BankAccountStatus = "REJECTED"
)

// AccountType is the type of a bank account (contract §7.3).
type AccountType string

// The types.
const (
	Current AccountType = "CURRENT"
	Savings AccountType = "SAVINGS"
)

// AccountCategory tells if a bank account is a person's or a business's (contract §7.3).
type AccountCategory string

// The categories.
const (
	Personal AccountCategory = "PERSONAL"
	Business AccountCategory = "BUSINESS"
)

// BankAccount is a bank account that payouts may go to.
type BankAccount struct {
	ID            string            `dynamo:"id"`
	Holder        string            `dynamo:"account_holder_name"`
	IBAN          string            `dynamo:"iban,omitempty"`
	BIC           string            `dynamo:"swift,omitempty"`
	BankCode      string            `dynamo:"bank_code,omitempty"`      // national, for an account without an IBAN
	BranchCode    string            `dynamo:"branch_code,omitempty"`    // likewise
	AccountNumber string            `dynamo:"account_number,omitempty"` // likewise
	CheckDigit    string            `dynamo:"check_digit,omitempty"`    // of the number, if it is written separately
	Type          AccountType       `dynamo:"account_type,omitempty"`
	Category      AccountCategory   `dynamo:"account_category,omitempty"`
	Status        BankAccountStatus `dynamo:"status"`
	CreatedAt     time.Time         `dynamo:"created_at,omitempty"`
}

// Number returns the account's IBAN or national number. It leaves out a check digit that is written separately.
func (b BankAccount) Number() string { return cmp.Or(b.IBAN, b.AccountNumber) }

// Ending returns the last four characters of the number. They may be shown anywhere.
func (b BankAccount) Ending() string {
	number := b.Number()
	return number[max(0, len(number)-4):]
}

// CanReceive returns true if payouts may go to the account (contract §6.7). A transfer to a national number must also
// name the bank.
func (b BankAccount) CanReceive() bool { return b.Status == BankAccountVerified && b.isRoutable() }

// isRoutable returns true if a transfer can name the account.
func (b BankAccount) isRoutable() bool {
	return b.IBAN != "" || b.AccountNumber != "" && (b.BankCode != "" || b.BranchCode != "" || b.BIC != "")
}

// Same returns true if transfers to both reach the same account of the same holder. It ignores ids and statuses.
func (b BankAccount) Same(other BankAccount) bool {
	return b.Holder == other.Holder && b.BIC == other.BIC && b.IBAN == other.IBAN && b.sameNational(other)
}

// sameNumber returns true if both accounts have the same number at the same bank, in any spelling. It compares the
// IBANs, which include the bank. Without IBANs it compares the national numbers and the banks.
func (b BankAccount) sameNumber(other BankAccount) bool {
	return b.IBAN == other.IBAN && (b.IBAN != "" || b.comparisonKey() == other.comparisonKey())
}

func (b BankAccount) sameNational(other BankAccount) bool {
	return b.BankCode == other.BankCode && b.BranchCode == other.BranchCode && b.AccountNumber == other.AccountNumber &&
		b.CheckDigit == other.CheckDigit
}

// BankAccountChange is an operator's change of a bank account. Absent and null fields stay unchanged. A change with
// another number replaces the whole account.
type BankAccountChange struct {
	Holder        optional.Of[string] `json:"holder" validate:"text=70"` // 70 is the maximum of a SEPA transfer
	IBAN          optional.Of[string] `json:"iban" validate:"iban?"`     // an account without an IBAN has the next fields
	AccountNumber optional.Of[string] `json:"account_number"`            // national, with bank_code or bic
	BankCode      optional.Of[string] `json:"bank_code"`
	BIC           optional.Of[string] `json:"bic" validate:"bic?"`
}

// Empty returns true if the change has no field.
func (c BankAccountChange) Empty() bool {
	for _, field := range []optional.Of[string]{c.Holder, c.IBAN, c.AccountNumber, c.BankCode, c.BIC} {
		if _, given := field.Get(); given {
			return false
		}
	}
	return true
}

// Apply returns the changed account. A new account gets the id. Failures: Invalid and Missing, with the field.
func (c BankAccountChange) Apply(to BankAccount, id string) (BankAccount, error) {
	faults := validate.Forms(c)
	if c.replacesAccount() {
		to = BankAccount{ID: id, Holder: to.Holder}
	}
	to.Holder = strings.TrimSpace(c.Holder.Or(to.Holder))
	to.IBAN, to.BIC = validate.Machine(c.IBAN.Or(to.IBAN)), validate.Machine(c.BIC.Or(to.BIC))
	to.AccountNumber, to.BankCode = strings.TrimSpace(c.AccountNumber.Or(to.AccountNumber)),
		strings.TrimSpace(c.BankCode.Or(to.BankCode))
	return to, validate.Order(c, append(faults, to.faults()...)).First()
}

// replacesAccount returns true if the change has a number, and so names another account.
func (c BankAccountChange) replacesAccount() bool {
	_, iban := c.IBAN.Get()
	_, number := c.AccountNumber.Get()
	return iban || number
}

// faults returns failures for the fields of an account that are missing or that exclude each other.
func (b BankAccount) faults() failure.List {
	if b.IBAN == "" && b.AccountNumber == "" {
		return failure.List{failure.Missing("iban")}
	}
	var faults failure.List
	faults = faults.If(b.Holder == "", failure.Missing("holder"))
	switch {
	case b.IBAN != "" && b.AccountNumber != "":
		return append(faults, failure.Invalid("account_number", "cannot be combined with an iban"))
	case b.AccountNumber != "" && b.BankCode == "" && b.BIC == "":
		return append(faults, failure.Missing("bank_code"))
	default:
		return faults
	}
}
