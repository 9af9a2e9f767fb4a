package acquirer

import (
	"context"
	"errors"
	"iter"
	"net/textproto"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// Unlinked is live mode's acquirer in a program that does not link the deployment's acquirer. Such a program must ask
// it nothing: each call to it fails, and says nothing about a charge.
type Unlinked struct{}

var errUnlinked = errors.New("acquirer: this program does not link live mode's acquirer")

// Summary returns the full summary of the card.
func (Unlinked) Summary(c *payments.Card) payments.CardSummary { return c.Summary() }

// Charge fails.
func (Unlinked) Charge(context.Context, Charge) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// LookUp fails.
func (Unlinked) LookUp(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// Complete fails.
func (Unlinked) Complete(context.Context, string, string) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// Cancel fails.
func (Unlinked) Cancel(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// Refund fails.
func (Unlinked) Refund(context.Context, Refund) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// CancelRefund fails.
func (Unlinked) CancelRefund(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{}, errUnlinked
}

// DeleteCard fails.
func (Unlinked) DeleteCard(context.Context, string) error { return errUnlinked }

// Notice fails.
func (Unlinked) Notice(textproto.MIMEHeader, []byte) ([]Hint, error) { return nil, errUnlinked }

// Hints fails.
func (Unlinked) Hints(context.Context, time.Time) iter.Seq2[Hint, error] {
	return func(yield func(Hint, error) bool) { yield(Hint{}, errUnlinked) }
}

// Statement fails.
func (Unlinked) Statement(context.Context, time.Time) iter.Seq2[Movement, error] {
	return func(yield func(Movement, error) bool) { yield(Movement{}, errUnlinked) }
}
