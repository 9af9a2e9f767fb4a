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
func (a *Acquirer) plan(ctx context.Context, request acquirer.Charge) (charge, error) {
	c := charge{
		ID: request.ID, Tenant: request.Reference.Tenant, CheckoutID: request.Reference.CheckoutID,
		Amount: request.Amount, Method: request.Method, Verification: request.Verification,
		Payee: request.Descriptor, ReturnURL: request.ReturnURL, CreatedAt: a.books.Time(),
	}
	minor := request.Amount.Minor()
	if minor == notTakenAmount {
		return c, fmt.Errorf("%w: the amount asks for it", acquirer.ErrNotTaken)
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

// present adds the card that pays, and the part it plays. A wallet brings no
// card to see: it is authenticated by the payer's device already.
func (a *Acquirer) present(ctx context.Context, c charge, request acquirer.Charge) (charge, error) {
	switch {
	case request.Card != nil:
		summary := request.Card.Summary()
		c.Part = partOf(request.Card.Number.Reveal())
		if request.Store {
			summary.AcquirerToken, c.KeepsCard = "sbx_card_"+rand.Text(), true
		}
		c.Card = &summary
	case request.Token != "":
		known, err := a.books.card(ctx, request.Token)
		if errors.Is(err, errNoCard) {
			c.Part = forgotten
			return c, nil
		}
		if err != nil {
			return c, err
		}
		c.Part, c.Card = known.Part, &known.Card
	case request.Method == payments.CardMethod:
		return c, fmt.Errorf("%w: there is no card in it", acquirer.ErrNotTaken)
	default:
		c.Part = frictionless
	}
	return c, nil
}
