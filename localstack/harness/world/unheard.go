package world

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Unheard is an acquirer that charges cards, but whose answers to charges are lost.
type Unheard struct{ acquirer.Acquirer }

// Charge charges the card, and always returns an error.
func (u Unheard) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	_, _ = u.Acquirer.Charge(ctx, c)
	return payments.Outcome{}, errors.New("the answer is lost")
}
