package sandbox

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// Answer is what a payer does on the issuer's 3DS page (contract §12).
type Answer string

// The answers. Break makes the authentication fail with an error.
const (
	Approve Answer = "approve"
	Reject  Answer = "reject"
	Break   Answer = "error"
)

var answers = []Answer{Approve, Reject, Break}

// Valid reports whether the page offers the answer.
func (a Answer) Valid() bool { return slices.Contains(answers, a) }

func (a Answer) apply(c charge) charge {
	switch {
	case c.Decision != payments.Challenge:
		return c
	case a == Approve:
		return c.approve()
	case a == Reject:
		return c.decline(codeSecurityViolation)
	default:
		return c.decline(codeError)
	}
}

// BankAnswer is what a payer does on a method's page (contract §12).
type BankAnswer string

// The answers. Leave keeps the payment pending.
const (
	Pay   BankAnswer = "pay"
	Fail  BankAnswer = "fail"
	Leave BankAnswer = "leave"
)

// Valid reports whether the page offers the answer.
func (b BankAnswer) Valid() bool { return b == Pay || b == Fail || b == Leave }

func (b BankAnswer) apply(c charge) charge {
	switch {
	case c.Decision != payments.Challenge || b == Leave:
		return c
	case b == Pay:
		return c.approve()
	default:
		return c.decline(codeCustomerCancelled)
	}
}
