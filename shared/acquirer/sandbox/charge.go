package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// terminalID is the id of the sandbox's only terminal (ISO 8583 field 41, 8 characters).
const terminalID = "SBX00001"

// charge is a charge as it is stored. Its Decision changes at most twice. Approved, Declined and Cancelled are final.
type charge struct {
	ID           string                `dynamo:"id"`
	Decision     payments.Decision     `dynamo:"decision"`
	Tenant       string                `dynamo:"tenant,omitempty"`
	CheckoutID   string                `dynamo:"checkout_id,omitempty"`
	Amount       money.Amount          `dynamo:"amount"`
	Refundable   money.Amount          `dynamo:"refundable,omitempty"` // what is left of a captured amount
	Method       payments.Method       `dynamo:"method,omitempty"`
	Verification bool                  `dynamo:"verification,omitempty"`
	Payee        string                `dynamo:"payee,omitempty"`
	ReturnURL    string                `dynamo:"return_url,omitempty"`
	Scenario     scenario              `dynamo:"scenario,omitempty"`
	Card         *payments.CardSummary `dynamo:"card,omitempty"`
	Present      *payments.CardPresent `dynamo:"present,omitempty"`
	KeepsCard    bool                  `dynamo:"keeps_card,omitempty"` // store the card once the charge is approved
	Code         *payments.PaymentCode `dynamo:"code,omitempty"`
	DecidesAt    time.Time             `dynamo:"decides_at,omitempty"` // used while Decision is OutcomeUnknown
	AuthCode     string                `dynamo:"auth_code,omitempty"`
	ReturnCode   string                `dynamo:"return_code,omitempty"`
	ThreeDS      payments.ThreeDS      `dynamo:"eci,omitempty"`      // result if the charge is approved
	Begins       bool                  `dynamo:"begins,omitempty"`   // an agreement
	Customer     string                `dynamo:"customer,omitempty"` // owner of the card to store
	CreatedAt    time.Time             `dynamo:"created_at"`
}

// authorize decides a card charge. If the payer is present, it may instead challenge the payer.
func (c charge) authorize(minor int64, attended bool) charge {
	if code, ok := declinedAmounts[minor]; ok {
		return c.decline(code)
	}
	if code, ok := declinedScenarios[c.Scenario]; ok {
		return c.decline(code)
	}
	if c.Scenario == challenged && attended {
		c.Decision = payments.Challenge
		return c
	}
	return c.approve()
}

func (c charge) approve() charge {
	c.Decision, c.ReturnCode, c.AuthCode = payments.Approved, codeApproved, newAuthCode()
	if c.captures() {
		c.Refundable = c.Amount
	}
	return c
}

func (c charge) decline(code string) charge {
	c.Decision, c.ReturnCode = payments.Declined, code
	return c
}

func (c charge) isWaiting() bool {
	return c.Decision == payments.Challenge || c.Decision == payments.Voucher
}

func (c charge) cancel() charge {
	if c.isWaiting() {
		c.Decision = payments.Cancelled
	}
	return c
}

// captures returns true if the charge is approved and moves money.
func (c charge) captures() bool { return c.Decision == payments.Approved && !c.Verification }

// covers returns true if the amount is above 0 and at most what is left of the captured amount.
func (c charge) covers(amount money.Amount) bool {
	order, err := c.Refundable.Cmp(amount)
	return amount.Sign() > 0 && err == nil && order >= 0
}

// reduce subtracts the amount from what is left of the captured amount. Errors: ErrMismatch for another currency.
func (c charge) reduce(amount money.Amount) (charge, error) {
	left, err := c.Refundable.Sub(amount)
	c.Refundable = left
	return c, err
}

// owner names the customer that a stored card belongs to.
func (c charge) owner() string { return c.Tenant + " " + c.Customer }

func (c charge) reference() acquirer.Reference {
	return acquirer.Reference{Tenant: c.Tenant, CheckoutID: c.CheckoutID}
}

// outcome returns the charge's outcome in the form of the port.
func (a *Acquirer) outcome(c charge) payments.Outcome {
	o := payments.Outcome{Decision: c.Decision, AuthCode: c.AuthCode, ReturnCode: c.ReturnCode, TerminalID: terminalID,
		Present: c.Present, AcquirerReference: reference(forReference, c.ID)}
	switch c.Decision {
	case payments.Approved:
		o.Card, o.ThreeDS = c.Card, c.ThreeDS
		if c.Begins {
			o.NetworkTransactionID = reference(forNetwork, c.ID)
		}
	case payments.Declined:
		o.NeverRetry = c.ReturnCode == codeStolenCard
		if c.Present != nil {
			o.Card = c.Card
		}
	case payments.Challenge:
		o.Step = a.payerStep(c)
	case payments.Voucher:
		o.Code = c.Code
	}
	return o
}

// The uses of references.
const (
	forReference = "reference"
	forNetwork   = "network transaction"
)

// reference returns the sandbox's name for a charge or refund of ours, for one use. It is short, because each journal
// entry has one.
func reference(use, id string) string {
	sum := sha256.Sum256([]byte(use + "\x00" + id))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// newAuthCode returns six random digits, as an issuer does.
func newAuthCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil { // crypto/rand never fails (Go 1.24)
		panic(err)
	}
	return fmt.Sprintf("%06d", n)
}

// settlesAfter is the time after which a charge (contract §12) or refund of 42.25 is no longer pending.
const settlesAfter = 30 * time.Second

// planCharge returns a new charge with its decision. Errors: ErrNotTaken, or an error of the table.
func (a *Acquirer) planCharge(ctx context.Context, request acquirer.Charge) (charge, error) {
	c := charge{
		ID: request.ID, Tenant: request.Reference.Tenant, CheckoutID: request.Reference.CheckoutID,
		Amount: request.Amount, Method: request.Method, Verification: request.Verification,
		Payee: request.Descriptor, Present: request.Present, CreatedAt: a.records.Time(),
		Begins: request.Consent != nil, Customer: request.Customer,
	}
	if request.Method.Flow() == payments.RedirectFlow { // a challenge returns by TermUrl, and this URL has a payer's token
		c.ReturnURL = request.ReturnURL
	}
	minor := request.Amount.Minor()
	switch {
	case minor == notTakenAmount:
		return c, fmt.Errorf("%w: the amount asks for it", acquirer.ErrNotTaken)
	case !tipFits(request):
		return c, fmt.Errorf("%w: it has a tip that cannot be part of it", acquirer.ErrNotTaken)
	}
	if request.Method.Flow() == payments.CardFlow {
		var err error
		if c, err = a.addCard(ctx, c, request); err != nil {
			return c, err
		}
		c.ThreeDS = authentication(c, request)
	}
	switch {
	case minor == unknownAmount:
		c.Decision, c.DecidesAt = payments.OutcomeUnknown, c.CreatedAt.Add(settlesAfter)
		return c, nil
	case request.Method.Flow() == payments.RedirectFlow:
		c.Decision = payments.Challenge
		return c, nil
	case request.Method.Flow() == payments.VoucherFlow:
		return a.withVoucher(c), nil
	default:
		return c.authorize(minor, request.Agreement == nil), nil
	}
}

// authentication returns the result of 3-D Secure that an approved charge will have. A payer who is exempt, absent, at
// a terminal or in a wallet is not authenticated.
func authentication(c charge, request acquirer.Charge) payments.ThreeDS {
	switch {
	case c.Card == nil || c.Present != nil || request.Agreement != nil:
		return payments.ThreeDS{}
	case request.Exemption != "" && c.Scenario != challenged:
		return payments.ThreeDS{ECI: "07"}
	case c.Card.Brand == "MASTERCARD":
		return payments.ThreeDS{ECI: "02", LiabilityShift: true}
	default:
		return payments.ThreeDS{ECI: "05", LiabilityShift: true}
	}
}

// addCard adds the card and its scenario to the charge. A charge by wallet has no card, because the payer's device has
// already authenticated the payer. A terminal sends the card that it has read.
func (a *Acquirer) addCard(ctx context.Context, c charge, request acquirer.Charge) (charge, error) {
	switch {
	case request.Method == payments.AtReader:
		if request.Present == nil || request.Summary == nil {
			return c, fmt.Errorf("%w: it has no card", acquirer.ErrNotTaken)
		}
		c.Card, c.Scenario = request.Summary, frictionless
	case request.Card != nil:
		summary := a.Summary(request.Card)
		c.Scenario = scenarioOf(request.Card.Number.Reveal())
		if request.Store {
			summary.AcquirerToken, c.KeepsCard = "sbx_card_"+rand.Text(), true
		}
		c.Card = &summary
	case request.Token != "":
		known, err := a.records.readCard(ctx, request.Token)
		if errors.Is(err, errNoCard) || err == nil && known.Owner != c.owner() {
			c.Scenario = forgotten
			return c, nil
		}
		if err != nil {
			return c, err
		}
		c.Scenario, c.Card = known.Scenario, &known.Card
	case request.Method == payments.CardMethod:
		return c, fmt.Errorf("%w: it has no card", acquirer.ErrNotTaken)
	default:
		c.Scenario = frictionless
	}
	return c, nil
}

// tipFits returns true if the tip is part of the amount, or the charge has no tip.
func tipFits(request acquirer.Charge) bool {
	if request.Present == nil || request.Present.Tip.Currency() == "" {
		return true
	}
	tip := request.Present.Tip
	order, err := tip.Cmp(request.Amount)
	return err == nil && tip.Sign() >= 0 && order <= 0
}
