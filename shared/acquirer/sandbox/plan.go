package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// settlesAfter is how long a charge of 42.25 stays pending (contract §12),
// and a refund.
const settlesAfter = 30 * time.Second

// plan decides a new charge. Errors: ErrNotTaken, or the table's.
func (a *Acquirer) plan(ctx context.Context, request acquirer.Charge) (charge, error) {
	c := charge{
		ID: request.ID, Tenant: request.Reference.Tenant, CheckoutID: request.Reference.CheckoutID,
		Amount: request.Amount, Method: request.Method, Verification: request.Verification,
		Payee: request.Descriptor, ReturnURL: request.ReturnURL, Present: request.Present, CreatedAt: a.records.Time(),
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
		if c, err = a.present(ctx, c, request); err != nil {
			return c, err
		}
	}
	switch {
	case minor == unknownAmount:
		c.Decision, c.DecidesAt = payments.OutcomeUnknown, c.CreatedAt.Add(settlesAfter)
		return c, nil
	case request.Method.Flow() == payments.RedirectFlow:
		c.Decision = payments.Challenge
		return c, nil
	case request.Method.Flow() == payments.VoucherFlow:
		return a.voucher(c), nil
	default:
		return c.authorize(minor, !request.Unattended), nil
	}
}

// present adds the card and its scenario. A wallet shows no card: the payer's
// device has already authenticated the payer. A terminal has read the card itself.
func (a *Acquirer) present(ctx context.Context, c charge, request acquirer.Charge) (charge, error) {
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
		known, err := a.records.card(ctx, request.Token)
		if errors.Is(err, errNoCard) {
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

// tipFits reports whether the tip of a charge by a terminal, if it has one, is part of the amount.
func tipFits(request acquirer.Charge) bool {
	if request.Present == nil || request.Present.Tip.Currency() == "" {
		return true
	}
	tip := request.Present.Tip
	order, err := tip.Cmp(request.Amount)
	return err == nil && tip.Sign() >= 0 && order <= 0
}
