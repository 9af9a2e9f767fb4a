package reader

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// ChargesPath is the path of the acquirer's host for charges.
const ChargesPath = "/acquirer/charges"

// Charger is the part of an acquirer that terminals use.
type Charger interface {
	// Charge accepts the charge or returns its outcome. Errors are those of acquirer.Acquirer.
	Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error)
}

type charge struct {
	ID           string
	Reference    acquirer.Reference
	Amount       amount
	Method       payments.Method
	Installments int
	Present      present
	Card         *payments.CardSummary // nil if paid by a code
	Merchant     string
}

type present struct {
	payments.CardPresent
	Tip amount // replaces the tip in CardPresent, whose JSON would lose the currency
}

// decided is the part of an outcome that a terminal needs.
type decided struct {
	Decision   payments.Decision
	ReturnCode string
	Code       *payments.PaymentCode
}

// Charges returns the acquirer's host. It serves terminals that have the token.
func Charges(a Charger, token string) http.Handler {
	return serve(token, func(ctx context.Context, c charge) (decided, error) {
		sent, err := c.parse()
		if err != nil {
			return decided{}, err
		}
		o, err := a.Charge(ctx, sent)
		return decided{o.Decision, o.ReturnCode, o.Code}, err
	})
}

// AcquirerAt returns a client of the acquirer at a host.
func AcquirerAt(host control.Host) Charger { return remoteAcquirer{host} }

type remoteAcquirer struct{ control.Host }

func (r remoteAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	d, err := send[decided](ctx, r.Host, ChargesPath, charge{ID: c.ID, Reference: c.Reference,
		Amount: wireAmount(c.Amount), Method: c.Method, Installments: c.Installments, Merchant: c.Descriptor,
		Card: c.Summary, Present: present{*c.Present, wireAmount(c.Present.Tip)}})
	return payments.Outcome{Decision: d.Decision, ReturnCode: d.ReturnCode, Code: d.Code}, err
}

func (c charge) parse() (acquirer.Charge, error) {
	sum, err := c.Amount.parse()
	if err != nil {
		return acquirer.Charge{}, err
	}
	sent := c.Present.CardPresent
	sent.Tip, err = c.Present.Tip.parse()
	return acquirer.Charge{ID: c.ID, Reference: c.Reference, Amount: sum, Method: c.Method,
		Installments: c.Installments, Descriptor: c.Merchant, Present: &sent, Summary: c.Card}, err
}
