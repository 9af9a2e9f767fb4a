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

// plan is the charge as it will stand in the books. Errors: ErrNotTaken, or
// one of the books.
func (a *Acquirer) plan(ctx context.Context, order acquirer.Charge) (charge, error) {
	c := charge{
		ID: order.ID, Tenant: order.Reference.Tenant, CheckoutID: order.Reference.CheckoutID,
		Amount: order.Amount, Method: order.Method, Verification: order.Verification,
		Payee: order.Descriptor, ReturnURL: order.ReturnURL, CreatedAt: a.books.Time(),
	}
	minor := order.Amount.Minor()
	if minor == notTakenAmount {
		return c, fmt.Errorf("%w: the amount asks for it", acquirer.ErrNotTaken)
	}
	if order.Method.Flow() == payments.CardFlow {
		var err error
		if c, err = a.present(ctx, c, order); err != nil {
			return c, err
		}
	}
	switch {
	case minor == unknownAmount:
		c.Decision, c.DecidesAt = payments.OutcomeUnknown, c.CreatedAt.Add(settlesAfter)
		return c, nil
	case order.Method.Flow() == payments.RedirectFlow:
		c.Decision = payments.Challenge
		return c, nil
	case order.Method.Flow() == payments.VoucherFlow:
		return a.voucher(c), nil
	default:
		return c.authorize(minor, !order.Unattended), nil
	}
}

// present adds the card that pays, and the part it plays. A wallet brings no
// card to see: it is authenticated by the payer's device already.
func (a *Acquirer) present(ctx context.Context, c charge, order acquirer.Charge) (charge, error) {
	switch {
	case order.Card != nil:
		summary := order.Card.Summary()
		c.Part = partOf(order.Card.Number.Reveal())
		if order.Store {
			summary.AcquirerToken, c.KeepsCard = "sbx_card_"+rand.Text(), true
		}
		c.Card = &summary
	case order.Token != "":
		known, err := a.books.card(ctx, order.Token)
		if errors.Is(err, errNoCard) {
			c.Part = forgotten
			return c, nil
		}
		if err != nil {
			return c, err
		}
		c.Part, c.Card = known.Part, &known.Card
	case order.Method == payments.CardMethod:
		return c, fmt.Errorf("%w: there is no card in it", acquirer.ErrNotTaken)
	default:
		c.Part = frictionless
	}
	return c, nil
}
