package sandbox

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// terminalID is the sandbox's one terminal (ISO 8583 field 41, 8 characters).
const terminalID = "SBX00001"

// charge is one entry of the books. Its Decision moves at most twice, and
// never away from Approved, Declined or Cancelled.
type charge struct {
	ID           string                `dynamo:"id"`
	Decision     payments.Decision     `dynamo:"decision"`
	Tenant       string                `dynamo:"tenant,omitempty"`
	CheckoutID   string                `dynamo:"checkout_id,omitempty"`
	Amount       money.Amount          `dynamo:"amount"`
	Refundable   money.Amount          `dynamo:"refundable,omitempty"` // what is left of the captured amount; not set unless it was captured
	Method       payments.Method       `dynamo:"method,omitempty"`
	Verification bool                  `dynamo:"verification,omitempty"`
	Payee        string                `dynamo:"payee,omitempty"`
	ReturnURL    string                `dynamo:"return_url,omitempty"`
	Part         part                  `dynamo:"part,omitempty"`
	Card         *payments.CardSummary `dynamo:"card,omitempty"`
	KeepsCard    bool                  `dynamo:"keeps_card,omitempty"` // the card is stored once it is approved
	Code         *payments.PaymentCode `dynamo:"code,omitempty"`
	DecidesAt    time.Time             `dynamo:"decides_at,omitempty"` // while OutcomeUnknown
	AuthCode     string                `dynamo:"auth_code,omitempty"`
	ReturnCode   string                `dynamo:"return_code,omitempty"`
	CreatedAt    time.Time             `dynamo:"created_at"`
}

// authorize decides a card charge, or asks the payer who is there to be asked.
func (c charge) authorize(minor int64, attended bool) charge {
	if code, ok := declinedAmounts[minor]; ok {
		return c.decline(code)
	}
	if code, ok := declinedParts[c.Part]; ok {
		return c.decline(code)
	}
	if c.Part == challenged && attended {
		c.Decision = payments.Challenge
		return c
	}
	return c.approve()
}

func (c charge) approve() charge {
	c.Decision, c.ReturnCode, c.AuthCode = payments.Approved, codeApproved, authCode()
	if c.captures() {
		c.Refundable = c.Amount
	}
	return c
}

func (c charge) decline(code string) charge {
	c.Decision, c.ReturnCode = payments.Declined, code
	return c
}

// waits says it is the payer's turn.
func (c charge) waits() bool {
	return c.Decision == payments.Challenge || c.Decision == payments.Voucher
}

func (c charge) cancel() charge {
	if c.waits() {
		c.Decision = payments.Cancelled
	}
	return c
}

// captures says the approved charge moves money.
func (c charge) captures() bool { return c.Decision == payments.Approved && !c.Verification }

// covers says as much, and not nothing, is left of what the charge captured;
// one that captured nothing has no amount to compare with.
func (c charge) covers(amount money.Amount) bool {
	order, err := c.Refundable.Cmp(amount)
	return amount.Sign() > 0 && err == nil && order >= 0
}

// giveBack is the charge with less left. Errors: ErrMismatch for an amount it
// does not cover.
func (c charge) giveBack(amount money.Amount) (charge, error) {
	left, err := c.Refundable.Sub(amount)
	c.Refundable = left
	return c, err
}

func (c charge) reference() acquirer.Reference {
	return acquirer.Reference{Tenant: c.Tenant, CheckoutID: c.CheckoutID}
}

// outcome is the charge in the port's words.
func (a *Acquirer) outcome(c charge) payments.Outcome {
	o := payments.Outcome{Decision: c.Decision, AuthCode: c.AuthCode, ReturnCode: c.ReturnCode, TerminalID: terminalID}
	switch c.Decision {
	case payments.Approved:
		o.Card = c.Card
	case payments.Challenge:
		o.Step = a.step(c)
	case payments.Voucher:
		o.Code = c.Code
	}
	return o
}

// authCode is an issuer's six random digits.
func authCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil { // crypto/rand never fails (Go 1.24)
		panic(err)
	}
	return fmt.Sprintf("%06d", n)
}
