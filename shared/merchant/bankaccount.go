package merchant

import (
	"cmp"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// BankAccountStatus is an account's state of verification (contract §7.3).
type BankAccountStatus string

// The statuses.
const (
	BankAccountPending  BankAccountStatus = "PENDING_VERIFICATION"
	BankAccountVerified BankAccountStatus = "VERIFIED"
	BankAccountRejected BankAccountStatus = "REJECTED"
)

// AccountType is what kind of account it is (contract §7.3).
type AccountType string

// The types.
const (
	Current AccountType = "CURRENT"
	Savings AccountType = "SAVINGS"
)

// AccountCategory is whose account it is (contract §7.3).
type AccountCategory string

// The categories.
const (
	Personal AccountCategory = "PERSONAL"
	Business AccountCategory = "BUSINESS"
)

// BankAccount is where a merchant is paid out.
type BankAccount struct {
	ID            string            `dynamo:"id"`
	Holder        string            `dynamo:"account_holder_name"`
	IBAN          string            `dynamo:"iban,omitempty"`
	BIC           string            `dynamo:"swift,omitempty"`
	BankCode      string            `dynamo:"bank_code,omitempty"`      // national, where there is no IBAN
	BranchCode    string            `dynamo:"branch_code,omitempty"`    // likewise
	AccountNumber string            `dynamo:"account_number,omitempty"` // likewise
	CheckDigit    string            `dynamo:"check_digit,omitempty"`    // of the number, where it is written apart
	Type          AccountType       `dynamo:"account_type,omitempty"`
	Category      AccountCategory   `dynamo:"account_category,omitempty"`
	Status        BankAccountStatus `dynamo:"status"`
	CreatedAt     time.Time         `dynamo:"created_at,omitempty"`
}

// Number returns the account's IBAN or national number, without a check digit that is written apart.
func (b BankAccount) Number() string { return cmp.Or(b.IBAN, b.AccountNumber) }

// Ending is the last four characters of the number, which may be shown anywhere.
func (b BankAccount) Ending() string {
	number := b.Number()
	return number[max(0, len(number)-4):]
}

// CanReceive reports whether payouts may go to the account (contract §6.7). A national number needs its bank beside it.
func (b BankAccount) CanReceive() bool { return b.Status == BankAccountVerified && b.routed() }

// routed reports whether a transfer can name the account.
func (b BankAccount) routed() bool {
	return b.IBAN != "" || b.AccountNumber != "" && (b.BankCode != "" || b.BranchCode != "" || b.BIC != "")
}

// Same reports whether transfers to both reach the same account of the same holder, whatever id and status.
func (b BankAccount) Same(other BankAccount) bool {
	return b.Holder == other.Holder && b.BIC == other.BIC && b.IBAN == other.IBAN && b.sameNational(other)
}

// sameNumber reports whether both have the same number at the same bank, however it is written: the IBAN, which says
// both, or what its country has instead.
func (b BankAccount) sameNumber(other BankAccount) bool {
	return b.IBAN == other.IBAN && (b.IBAN != "" || b.compared() == other.compared())
}

func (b BankAccount) sameNational(other BankAccount) bool {
	return b.BankCode == other.BankCode && b.BranchCode == other.BranchCode && b.AccountNumber == other.AccountNumber &&
		b.CheckDigit == other.CheckDigit
}

// BankAccountChange is an operator's change of a bank account; what is absent
// or null stays as it is. A new number replaces the whole account.
type BankAccountChange struct {
	Holder        optional.Of[string] `json:"holder" validate:"text=70"` // the most that a SEPA transfer carries
	IBAN          optional.Of[string] `json:"iban" validate:"iban?"`     // or, where there is none:
	AccountNumber optional.Of[string] `json:"account_number"`            // national, with bank_code or bic
	BankCode      optional.Of[string] `json:"bank_code"`
	BIC           optional.Of[string] `json:"bic" validate:"bic?"`
}

// Empty reports whether nothing is given.
func (c BankAccountChange) Empty() bool {
	for _, field := range []optional.Of[string]{c.Holder, c.IBAN, c.AccountNumber, c.BankCode, c.BIC} {
		if _, given := field.Get(); given {
			return false
		}
	}
	return true
}

// Apply returns the account with the change; id is for a new one. Failures: Invalid and Missing, with the field.
func (c BankAccountChange) Apply(to BankAccount, id string) (BankAccount, error) {
	faults := validate.Forms(c)
	if c.replaces() {
		to = BankAccount{ID: id, Holder: to.Holder}
	}
	to.Holder = strings.TrimSpace(c.Holder.Or(to.Holder))
	to.IBAN, to.BIC = validate.Machine(c.IBAN.Or(to.IBAN)), validate.Machine(c.BIC.Or(to.BIC))
	to.AccountNumber, to.BankCode = strings.TrimSpace(c.AccountNumber.Or(to.AccountNumber)),
		strings.TrimSpace(c.BankCode.Or(to.BankCode))
	return to, validate.Order(c, append(faults, to.faults()...)).First()
}

// replaces reports whether another account's number is given.
func (c BankAccountChange) replaces() bool {
	_, iban := c.IBAN.Get()
	_, number := c.AccountNumber.Get()
	return iban || number
}

// faults lists what is missing from an account, or too much.
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
