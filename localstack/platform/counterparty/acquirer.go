package counterparty

import (
	"context"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Acquirer returns an acquirer that calls a over the network n.
func Acquirer(n Network, a acquirer.Acquirer) acquirer.Acquirer {
	return farAcquirer{a, line{n, acquirer.ErrNotTaken}}
}

type farAcquirer struct {
	acquirer.Acquirer
	line line
}

func (f farAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return carry(ctx, f.line, "Charge", c.ID+" "+c.Amount.String(), decision, f.Acquirer.Charge, c)
}

func (f farAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.line, "LookUp", id, decision, f.Acquirer.LookUp, id)
}

func (f farAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return carry(ctx, f.line, "Complete", id, decision,
		func(ctx context.Context, answer string) (payments.Outcome, error) {
			return f.Acquirer.Complete(ctx, id, answer)
		}, answer)
}

func (f farAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.line, "Cancel", id, decision, f.Acquirer.Cancel, id)
}

func (f farAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	about := r.ID + " " + r.Amount.String() + " of " + r.ChargeID
	return carry(ctx, f.line, "Refund", about, decision, f.Acquirer.Refund, r)
}

func (f farAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.line, "CancelRefund", id, decision, f.Acquirer.CancelRefund, id)
}

func (f farAcquirer) DeleteCard(ctx context.Context, token string) error {
	return tell(ctx, f.line, "DeleteCard", token, f.Acquirer.DeleteCard, token)
}

// Hints carries all hints as one call.
func (f farAcquirer) Hints(ctx context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
	return carryAll(ctx, f.line, "Hints", since, f.Acquirer.Hints)
}

// Statement carries the whole statement as one call.
func (f farAcquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	return carryAll(ctx, f.line, "Statement", since, f.Acquirer.Statement)
}

func decision(o payments.Outcome) string { return string(o.Decision) }
