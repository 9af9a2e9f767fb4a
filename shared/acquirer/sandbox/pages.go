package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// View has those fields of a charge that a page shows.
type View struct {
	ChargeID  string
	Reference acquirer.Reference
	Amount    money.Amount
	Merchant  string
	Method    payments.Method
	Card      *payments.CardSummary // nil when the payer pays without a card
	ReturnURL string                // URL to which a method's page redirects the payer; "" with a challenge
	Decision  payments.Decision     // decision at the time when the charge was read
}

// Hint returns the hint that a notice about the charge contains.
func (v View) Hint() acquirer.Hint { return acquirer.Hint{Reference: v.Reference, ID: v.ChargeID} }

// Waits returns true while the payer can still decide. While it is true, the page offers the answers.
func (v View) Waits() bool { return v.Decision == payments.Challenge }

func (c charge) view() View {
	return View{ChargeID: c.ID, Reference: c.reference(), Amount: c.Amount, Merchant: c.Payee,
		Method: c.Method, Card: c.Card, ReturnURL: c.ReturnURL, Decision: c.Decision}
}

// Uses of the secret.
const (
	forPaReq   = "PaReq"
	forPaRes   = "PaRes "
	forSession = "bank session"
	forNotice  = "notice"
)

// token returns a keyed hash of a text, such as a charge's id, for one use. The token is the same at each call, and
// cannot be guessed.
func (a *Acquirer) token(use, text string) string {
	mac := hmac.New(sha256.New, a.secret())
	mac.Write([]byte(use + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// pageToken returns the token of the page where the payer decides, or "" if the charge needs no page.
func (a *Acquirer) pageToken(c charge) string {
	switch {
	case c.Decision != payments.Challenge:
		return ""
	case c.Method.Flow() == payments.RedirectFlow:
		return a.token(forSession, c.ID)
	default:
		return a.token(forPaReq, c.ID)
	}
}

// payerStep returns the step that sends the payer to the charge's page (contract §4.3, §4.4).
func (a *Acquirer) payerStep(c charge) *payments.Step {
	if c.Method.Flow() == payments.RedirectFlow {
		return &payments.Step{URL: a.baseURL + "/apm/" + a.pageToken(c),
			Payload: map[string]string{"payment_type": string(c.Method)}}
	}
	return &payments.Step{URL: a.baseURL + "/3ds/challenge", Payload: map[string]string{"PaReq": a.pageToken(c)}}
}

// Challenge returns the charge that a PaReq belongs to. Errors: ErrUnknownCharge.
func (a *Acquirer) Challenge(ctx context.Context, paReq string) (View, error) {
	return a.readByToken(ctx, forPaReq, paReq)
}

// Session returns the charge that a bank page's session belongs to. Errors: ErrUnknownCharge.
func (a *Acquirer) Session(ctx context.Context, id string) (View, error) {
	return a.readByToken(ctx, forSession, id)
}

// readByToken reads the charge that a page's token belongs to. It refuses a token that was made for another use.
func (a *Acquirer) readByToken(ctx context.Context, use, token string) (View, error) {
	id, err := a.records.readPage(ctx, token)
	if err != nil {
		return View{}, err
	}
	if !hmac.Equal([]byte(token), []byte(a.token(use, id))) {
		return View{}, acquirer.ErrUnknownCharge
	}
	c, err := a.records.readCharge(ctx, id)
	return c.view(), err
}

// Decide returns the issuer's answer (PaRes) to a challenge, for the payer's browser. It does not change the charge;
// only Complete does. Errors: ErrUnknownCharge, ErrBadAnswer.
func (a *Acquirer) Decide(ctx context.Context, paReq string, answer Answer) (string, error) {
	if !answer.Valid() {
		return "", acquirer.ErrBadAnswer
	}
	view, err := a.Challenge(ctx, paReq)
	if err != nil {
		return "", err
	}
	return a.token(forPaRes+string(answer), view.ChargeID), nil
}

// Complete applies a PaRes, unless the charge is already decided. For the PaRes "" it returns the outcome and changes
// nothing. Errors: ErrUnknownCharge, ErrBadAnswer.
func (a *Acquirer) Complete(ctx context.Context, id, paRes string) (payments.Outcome, error) {
	if paRes == "" {
		return a.LookUp(ctx, id)
	}
	for _, answer := range answers {
		if hmac.Equal([]byte(paRes), []byte(a.token(forPaRes+string(answer), id))) {
			return a.toOutcome(a.records.move(ctx, id, answer.apply))
		}
	}
	if _, err := a.records.readCharge(ctx, id); err != nil {
		return payments.Outcome{}, err
	}
	return payments.Outcome{}, acquirer.ErrBadAnswer
}

// DecideSession applies the payer's choice on a bank page, unless the charge is already decided, and returns the charge
// afterwards. The caller must then send the platform a notice. Errors: ErrUnknownCharge, ErrBadAnswer.
func (a *Acquirer) DecideSession(ctx context.Context, id string, answer BankAnswer) (View, error) {
	if !answer.Valid() {
		return View{}, acquirer.ErrBadAnswer
	}
	view, err := a.Session(ctx, id)
	if err != nil {
		return View{}, err
	}
	c, err := a.records.moveByPayer(ctx, view.ChargeID, answer.apply)
	return c.view(), err
}

// Answer is a payer's answer on the issuer's 3DS page (contract §12).
type Answer string

// The answers. Break makes the authentication fail with an error.
const (
	Approve Answer = "approve"
	Reject  Answer = "reject"
	Break   Answer = "error"
)

var answers = []Answer{Approve, Reject, Break}

// Valid returns true if the page offers the answer.
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

// BankAnswer is a payer's answer on the page of a payment method (contract §12).
type BankAnswer string

// The answers. Leave keeps the payment pending.
const (
	Pay   BankAnswer = "pay"
	Fail  BankAnswer = "fail"
	Leave BankAnswer = "leave"
)

// Valid returns true if the page offers the answer.
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
