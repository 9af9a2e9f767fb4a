package merchant

import (
	"strings"
	"unicode/utf8"

	"github.com/jacoelho/banking/bic"
	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// BankAccountStatus is where an account stands (contract §7.3).
type BankAccountStatus string

// The statuses.
const (
	BankAccountPending  BankAccountStatus = "PENDING_VERIFICATION"
	BankAccountVerified BankAccountStatus = "VERIFIED"
	BankAccountRejected BankAccountStatus = "REJECTED"
)

// BankAccount is where a merchant is paid out.
type BankAccount struct {
	ID            string            `dynamo:"id"`
	Holder        string            `dynamo:"account_holder_name"`
	IBAN          string            `dynamo:"iban,omitempty"`
	BIC           string            `dynamo:"swift,omitempty"`
	BankCode      string            `dynamo:"bank_code,omitempty"`      // national, where there is no IBAN
	AccountNumber string            `dynamo:"account_number,omitempty"` // likewise
	Status        BankAccountStatus `dynamo:"status"`
}

// Number is the account's IBAN, or what its country has instead.
func (b BankAccount) Number() string {
	if b.IBAN != "" {
		return b.IBAN
	}
	return b.AccountNumber
}

// Payable says payouts may go to the account (contract §6.7). A number that is
// no IBAN needs its bank named beside it.
func (b BankAccount) Payable() bool {
	routed := b.IBAN != "" || b.AccountNumber != "" && (b.BankCode != "" || b.BIC != "")
	return routed && b.Status == BankAccountVerified
}

// Same says that an order to either names one account of one holder, whatever
// we call it and whether or not it is verified.
func (b BankAccount) Same(other BankAccount) bool {
	b.ID, b.Status = other.ID, other.Status
	return b == other
}

// BankAccountChange is what an operator says of a bank account; nil leaves a
// field as it is. A number that is given replaces the account whole, and is
// taken for verified, because the operator vouches for it.
type BankAccountChange struct {
	Holder        *string `json:"holder"`         // 1-70 characters
	IBAN          *string `json:"iban"`           // or, where there is none:
	AccountNumber *string `json:"account_number"` // national, with bank_code or bic
	BankCode      *string `json:"bank_code"`
	BIC           *string `json:"bic"`
	Verified      *bool   `json:"verified"` // false: payouts wait
}

// maxHolder is as much of a name as a SEPA order carries.
const maxHolder = 70

// Apply is the account with what is given; id is that of a new one. Failure:
// Rejected, with the field that cannot be.
func (c BankAccountChange) Apply(to BankAccount, id string) (BankAccount, error) {
	if c.IBAN != nil || c.AccountNumber != nil {
		to = BankAccount{ID: id, Holder: to.Holder, Status: BankAccountVerified}
	}
	for _, given := range []struct{ from, to *string }{
		{c.Holder, &to.Holder}, {c.IBAN, &to.IBAN}, {c.AccountNumber, &to.AccountNumber}, {c.BankCode, &to.BankCode}, {c.BIC, &to.BIC},
	} {
		if given.from != nil {
			*given.to = strings.TrimSpace(*given.from)
		}
	}
	to.IBAN, to.BIC = strings.ToUpper(strings.ReplaceAll(to.IBAN, " ", "")), strings.ToUpper(to.BIC)
	if to.ID == "" { // settings without an account yet
		if to != (BankAccount{Holder: to.Holder}) || c.Verified != nil {
			return to, failure.Missing("iban")
		}
		return to, nil
	}
	if c.Verified != nil {
		to.Status = BankAccountPending
		if *c.Verified {
			to.Status = BankAccountVerified
		}
	}
	return to, to.check()
}

func (b BankAccount) check() error {
	_, bicErr := bic.Parse(b.BIC)
	switch {
	case b.Holder == "":
		return failure.Missing("holder")
	case utf8.RuneCountInString(b.Holder) > maxHolder:
		return failure.Invalid("holder", "must be at most 70 characters")
	case b.IBAN != "" && b.AccountNumber != "":
		return failure.Invalid("account_number", "is instead of an iban")
	case b.IBAN == "" && b.AccountNumber == "":
		return failure.Missing("iban")
	case b.IBAN != "" && iban.Validate(b.IBAN) != nil:
		return failure.Invalid("iban", "must be a valid IBAN")
	case b.BIC != "" && bicErr != nil:
		return failure.Invalid("bic", "must be a valid BIC of 8 or 11 characters")
	case b.AccountNumber != "" && b.BankCode == "" && b.BIC == "":
		return failure.Missing("bank_code")
	default:
		return nil
	}
}
