package merchant

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// MaxBankAccounts limits the accounts of a tenant. REJECTED accounts do not count (contract §7.3).
const MaxBankAccounts = 10

// maxRejected limits the REJECTED accounts that are kept, so that the tenant's one item stays small. The latest are
// kept.
const maxRejected = 10

// BankAccounts has the bank accounts of a tenant (contract §7.3). One account is primary, and at most one is pending.
// Payouts go to the last account that was both primary and VERIFIED.
type BankAccounts struct {
	All     []BankAccount `dynamo:"accounts"`           // oldest first
	Primary string        `dynamo:"primary"`            // id of the primary account; "": no account exists
	Paid    string        `dynamo:"paid,omitempty"`     // id of the account that is paid; "": no account is VERIFIED
	CheckAt time.Time     `dynamo:"check_at,omitempty"` // when to ask the bank again; zero: no account is pending
	Version int           `dynamo:"version"`            // of the stored item, from 1
}

// The conflicts that Add returns (contract §3.3), in the order of its checks.
var (
	ErrVerificationPending = failure.Conflict("Another bank account is pending verification.").
				WithCode("cannot_add_bank_account").AsTransient()
	ErrBankAccountExists   = failure.Conflict("The merchant has this bank account already.")
	ErrTooManyBankAccounts = failure.Conflict("The merchant has as many bank accounts as it may have.").
				WithCode("max_number_of_bank_accounts_exceeded")
)

// Get returns the account with the id.
func (b BankAccounts) Get(id string) (BankAccount, bool) {
	at := b.index(id)
	if at < 0 {
		return BankAccount{}, false
	}
	return b.All[at], true
}

// PrimaryChanged returns the number of the primary account. changed is true if another account was primary before, or
// if the primary account had another number.
func (b BankAccounts) PrimaryChanged(before BankAccounts) (number string, changed bool) {
	now, _ := b.Get(b.Primary)
	was, _ := before.Get(before.Primary)
	return now.Number(), now.ID != was.ID || !now.sameNumber(was)
}

func (b BankAccounts) index(id string) int {
	return slices.IndexFunc(b.All, func(a BankAccount) bool { return a.ID == id })
}

// indexOfNumber returns the index of the account that has the same number and was not REJECTED, or -1.
func (b BankAccounts) indexOfNumber(a BankAccount) int {
	return slices.IndexFunc(b.All, func(other BankAccount) bool {
		return other.Status != BankAccountRejected && other.sameNumber(a)
	})
}

// Pending returns the account that waits for its verification.
func (b BankAccounts) Pending() (BankAccount, bool) {
	at := slices.IndexFunc(b.All, func(a BankAccount) bool { return a.Status == BankAccountPending })
	if at < 0 {
		return BankAccount{}, false
	}
	return b.All[at], true
}

// Payee returns the account that payouts go to, or the zero account if none is VERIFIED.
func (b BankAccounts) Payee() BankAccount {
	payee, _ := b.Get(b.Paid)
	return payee
}

// Add returns the accounts with a new account, whose verification is pending. The account becomes primary on request,
// or if payouts go to no account yet. If the id is known, nothing changes. A REJECTED account may be added again.
// Failures: ErrVerificationPending, ErrBankAccountExists, ErrTooManyBankAccounts.
func (b BankAccounts) Add(a BankAccount, primary bool, now time.Time) (BankAccounts, error) {
	if _, there := b.Get(a.ID); there {
		return b, nil
	}
	if _, pending := b.Pending(); pending {
		return b, ErrVerificationPending
	}
	if b.indexOfNumber(a) >= 0 {
		return b, ErrBankAccountExists
	}
	a.Status, a.CreatedAt = BankAccountPending, now
	b, err := b.withAppended(a)
	if err != nil {
		return b, err
	}
	if primary || b.Paid == "" {
		b.Primary = a.ID
	}
	b.CheckAt = now.Add(firstCheck)
	return b, nil
}

// withAppended returns the accounts with one more account. Failure: ErrTooManyBankAccounts.
func (b BankAccounts) withAppended(a BankAccount) (BankAccounts, error) {
	kept := 0
	for _, other := range b.All {
		if other.Status != BankAccountRejected {
			kept++
		}
	}
	if kept >= MaxBankAccounts {
		return b, ErrTooManyBankAccounts
	}
	b.All = append(slices.Clone(b.All), a)
	return b, nil
}

// Vouch returns the accounts with an account that is VERIFIED and primary at once, because an operator vouches for it.
// The account replaces the account with the same id. If there is none, it replaces an account with the same number that
// is not REJECTED. Failure: ErrTooManyBankAccounts.
func (b BankAccounts) Vouch(a BankAccount, now time.Time) (BankAccounts, error) {
	at := b.index(a.ID)
	if at < 0 {
		at = b.indexOfNumber(a)
	}
	if at < 0 {
		a.CreatedAt = now
		with, err := b.withAppended(a)
		if err != nil {
			return b, err
		}
		b, at = with, len(with.All)-1
	}
	b.All = slices.Clone(b.All)
	replaced := b.All[at]
	a.ID, a.CreatedAt, a.Type, a.Category = replaced.ID, replaced.CreatedAt, replaced.Type, replaced.Category
	a.Status = BankAccountVerified
	b.All[at], b.Primary, b.Paid = a, a.ID, a.ID
	return b.withoutCheck(), nil
}

// Decide returns the accounts after the bank's answer about a pending account. The answer is final. If the primary
// account is REJECTED, the account that gets the payouts becomes primary again.
func (b BankAccounts) Decide(id string, verdict BankAccountStatus) BankAccounts {
	at := b.index(id)
	if at < 0 || b.All[at].Status != BankAccountPending || verdict == BankAccountPending {
		return b
	}
	b.All = slices.Clone(b.All)
	b.All[at].Status = verdict
	switch {
	case b.Primary != id:
	case verdict == BankAccountRejected && b.Paid != "":
		b.Primary = b.Paid
	case verdict == BankAccountVerified && (b.Paid == "" || b.All[at].CanReceive()):
		b.Paid = id
	}
	return b.withoutCheck().withoutOldRejected()
}

// PayeeUnknown returns true if it is time to ask the bank about the primary account. Until the bank's answer is
// recorded, it is not known which account payouts go to.
func (b BankAccounts) PayeeUnknown(now time.Time) bool {
	pending, is := b.Pending()
	return is && pending.ID == b.Primary && !now.Before(b.CheckAt)
}

// withoutCheck returns the accounts without the time of the next check if no account is pending.
func (b BankAccounts) withoutCheck() BankAccounts {
	if _, pending := b.Pending(); !pending {
		b.CheckAt = time.Time{}
	}
	return b
}

// withoutOldRejected returns the accounts without the oldest REJECTED accounts beyond maxRejected. It never removes the
// primary account. The primary account is REJECTED only if no other account exists, and then it is the latest.
func (b BankAccounts) withoutOldRejected() BankAccounts {
	rejected := 0
	for i := len(b.All) - 1; i >= 0; i-- {
		if b.All[i].Status != BankAccountRejected {
			continue
		}
		if rejected++; rejected > maxRejected {
			b.All = slices.Delete(slices.Clone(b.All), i, i+1)
		}
	}
	return b
}

// The bank is asked about a pending account soon after the account was added. Then the time between two questions grows
// with the account's age.
const (
	firstCheck   = 2 * time.Second
	longestCheck = 6 * time.Hour
)

// Postponed returns the accounts after the bank gave no answer. The next check is later.
func (b BankAccounts) Postponed(now time.Time) BankAccounts {
	pending, is := b.Pending()
	if !is || now.Before(b.CheckAt) {
		return b
	}
	b.CheckAt = now.Add(min(max(now.Sub(pending.CreatedAt), firstCheck), longestCheck))
	return b
}
