package acquirer

import (
	"context"
	"iter"
	"net/textproto"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// None is the acquirer of a deployment without an acquirer. Live payments answer 424 there (contract §12).
type None struct{}

// Summary returns the full summary of the card.
func (None) Summary(c *payments.Card) payments.CardSummary { return c.Summary() }

// Charge returns ErrNotTaken.
func (None) Charge(context.Context, Charge) (payments.Outcome, error) {
	return payments.Outcome{}, ErrNotTaken
}

// LookUp returns ErrUnknownCharge.
func (None) LookUp(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{}, ErrUnknownCharge
}

// Complete returns ErrUnknownCharge.
func (None) Complete(context.Context, string, string) (payments.Outcome, error) {
	return payments.Outcome{}, ErrUnknownCharge
}

// Cancel returns Cancelled.
func (None) Cancel(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{Decision: payments.Cancelled}, nil
}

// Refund returns ErrNotTaken.
func (None) Refund(context.Context, Refund) (payments.Outcome, error) {
	return payments.Outcome{}, ErrNotTaken
}

// CancelRefund returns Cancelled.
func (None) CancelRefund(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{Decision: payments.Cancelled}, nil
}

// DeleteCard does nothing.
func (None) DeleteCard(context.Context, string) error { return nil }

// Notice returns ErrBadNotice.
func (None) Notice(textproto.MIMEHeader, []byte) ([]Hint, error) { return nil, ErrBadNotice }

// Hints returns no hints.
func (None) Hints(context.Context, time.Time) iter.Seq2[Hint, error] {
	return func(func(Hint, error) bool) {}
}

// Statement returns no movements.
func (None) Statement(context.Context, time.Time) iter.Seq2[Movement, error] {
	return func(func(Movement, error) bool) {}
}
