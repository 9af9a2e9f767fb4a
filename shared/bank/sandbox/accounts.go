package sandbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// The last four characters of the IBAN, or of the account number if there is no
// IBAN, decide the outcome of a transfer when it is requested:
//
//	1111             rejected at once: AC04, the account is closed
//	2222             accepted, and rejected after 30 s: AC01, the account is unknown
//	3333             the money leaves at once, but the first request gets no
//	                 answer; later requests get Accepted, and Paid after 30 s
//	4444             never taken; it can be cancelled
//	any other        accepted, and paid after 2 s
//	an invalid IBAN  rejected at once: AC01
//
// An accepted transfer gets its outcome at the first call after that time.
//
// These endings decide about an account's verification 2 s after it was added
// (contract §7.3). They have no effect on transfers:
//
//	0000             REJECTED
//	9999             stays PENDING_VERIFICATION
//	any other        VERIFIED
const (
	closedSuffix     = "1111"
	unknownSuffix    = "2222"
	lostAnswerSuffix = "3333"
	notTakenSuffix   = "4444"

	rejectedSuffix   = "0000"
	unverifiedSuffix = "9999"
)

// Accounts for trying each rule. Their IBANs are valid.
const (
	PaidIBAN       = "DE17100100100000005678"
	ClosedIBAN     = "DE39100100100000001111"
	UnknownIBAN    = "DE15100100100000002222"
	LostAnswerIBAN = "DE88100100100000003333"
	NotTakenIBAN   = "DE64100100100000004444"

	RejectedIBAN   = "DE63100100100000000000" // REJECTED by the verification
	UnverifiedIBAN = "DE41100100100000009999" // stays PENDING_VERIFICATION
)

// Times from a request to its outcome.
const (
	paidAfter = 2 * time.Second
	slowAfter = 30 * time.Second

	// VerifiedAfter is the time from adding an account to the decision about its verification.
	VerifiedAfter = 2 * time.Second

	// LatestOutcome is the time from a request to the last possible outcome. A transfer that is never taken has no outcome
	// until it is cancelled.
	LatestOutcome = slowAfter
)

// Reasons of rejections, ISO 20022 ExternalStatusReason1Code.
const (
	reasonUnknown = "AC01" // IncorrectAccountNumber
	reasonClosed  = "AC04" // ClosedAccountNumber
)

// planTransfer returns the transfer with its outcome and the time of that outcome. Errors: ErrNotTaken.
func (b *Bank) planTransfer(request bank.Transfer) (transfer, error) {
	now := b.records.Time()
	t := transfer{ID: request.ID, Tenant: request.Tenant, Amount: request.Amount, State: bank.Accepted, CreatedAt: now}
	t.setFinal(bank.Paid, "", now.Add(paidAfter))
	number := request.To.Number()
	switch {
	case request.ID == "" || request.Amount.Sign() <= 0:
		return t, fmt.Errorf("%w: it has no id or no amount", bank.ErrNotTaken)
	case strings.HasSuffix(number, notTakenSuffix):
		return t, fmt.Errorf("%w: so its account number demands", bank.ErrNotTaken)
	case !isValidAccount(request.To):
		t.setFinal(bank.Rejected, reasonUnknown, now)
	case strings.HasSuffix(number, closedSuffix):
		t.setFinal(bank.Rejected, reasonClosed, now)
	case strings.HasSuffix(number, unknownSuffix):
		t.setFinal(bank.Rejected, reasonUnknown, now.Add(slowAfter))
	case strings.HasSuffix(number, lostAnswerSuffix):
		t.LostAnswer = true
		t.setFinal(bank.Paid, "", now.Add(slowAfter))
	}
	return t.asOf(now), nil
}

// isValidAccount returns true if such an account can exist.
func isValidAccount(a merchant.BankAccount) bool {
	if a.IBAN != "" {
		return iban.Validate(a.IBAN) == nil
	}
	return a.AccountNumber != ""
}

// Verify decides by the account's number. It keeps no record of the account.
func (b *Bank) Verify(_ context.Context, v bank.Verification) (merchant.BankAccountStatus, error) {
	number := v.Account.Number()
	switch {
	case b.records.Time().Before(v.Account.CreatedAt.Add(VerifiedAfter)), strings.HasSuffix(number, unverifiedSuffix):
		return merchant.BankAccountPending, nil
	case strings.HasSuffix(number, rejectedSuffix):
		return merchant.BankAccountRejected, nil
	default:
		return merchant.BankAccountVerified, nil
	}
}
