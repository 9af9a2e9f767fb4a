package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// What becomes of a transfer is decided by the last four characters of the
// IBAN, or of the account number where there is none, when it is ordered:
//
//	1111         rejected at once: AC04, the account is closed
//	2222         accepted, and rejected after 30 s: AC01, its bank does not know it
//	3333         executed at once, but the answer is lost: Accepted when asked
//	             again, Paid after 30 s
//	4444         never taken; it can be cancelled
//	any other    accepted, and paid after 2 s
//	a bad IBAN   rejected at once: AC01
//
// What is accepted is decided when the bank is next asked after its time.
// 0000 and 9999 mean nothing here: they decide the verification of an account
// (contract §7.3).
const (
	closedEnding   = "1111"
	unknownEnding  = "2222"
	silentEnding   = "3333"
	notTakenEnding = "4444"
)

// Accounts to try each rule with; their IBANs are valid.
const (
	PaidIBAN     = "DE17100100100000005678"
	ClosedIBAN   = "DE39100100100000001111"
	UnknownIBAN  = "DE15100100100000002222"
	SilentIBAN   = "DE88100100100000003333"
	NotTakenIBAN = "DE64100100100000004444"
)

// How long after the order its outcome is known.
const (
	paysAfter = 2 * time.Second
	slowAfter = 30 * time.Second

	// LatestOutcome is when every outcome is known, but that of an order which
	// is not taken: that is cancelled some time.
	LatestOutcome = slowAfter
)

// Reasons of rejections, ISO 20022 ExternalStatusReason1Code.
const (
	reasonUnknown = "AC01" // IncorrectAccountNumber
	reasonClosed  = "AC04" // ClosedAccountNumber
)

// plan is the transfer as it will stand in the books. Errors: ErrNotTaken.
func (b *Bank) plan(order bank.Transfer) (transfer, error) {
	now := b.books.Time()
	t := transfer{ID: order.ID, Tenant: order.Tenant, Amount: order.Amount, State: bank.Accepted, CreatedAt: now}
	t.becomes(bank.Paid, "", now.Add(paysAfter))
	number := order.To.Number()
	switch {
	case order.ID == "" || order.Amount.Sign() <= 0:
		return t, fmt.Errorf("%w: it has no id or no amount", bank.ErrNotTaken)
	case strings.HasSuffix(number, notTakenEnding):
		return t, fmt.Errorf("%w: the account asks for it", bank.ErrNotTaken)
	case !known(order.To):
		t.becomes(bank.Rejected, reasonUnknown, now)
	case strings.HasSuffix(number, closedEnding):
		t.becomes(bank.Rejected, reasonClosed, now)
	case strings.HasSuffix(number, unknownEnding):
		t.becomes(bank.Rejected, reasonUnknown, now.Add(slowAfter))
	case strings.HasSuffix(number, silentEnding):
		t.Silent = true
		t.becomes(bank.Paid, "", now.Add(slowAfter))
	}
	return t.at(now), nil
}

// known says the account can exist.
func known(a merchant.BankAccount) bool {
	if a.IBAN != "" {
		return iban.Validate(a.IBAN) == nil
	}
	return a.AccountNumber != ""
}
