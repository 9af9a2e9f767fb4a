package faults

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Acquirer puts a network before an acquirer.
func Acquirer(n Network, a acquirer.Acquirer) acquirer.Acquirer { return farAcquirer{a, n} }

// farAcquirer is an acquirer behind a network.
type farAcquirer struct {
	acquirer.Acquirer
	network Network
}

func (f farAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return f.ask(ctx, "Charge", c.ID+" "+c.Amount.String(), func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Charge(ctx, c)
	})
}

func (f farAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "LookUp", id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.LookUp(ctx, id)
	})
}

func (f farAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return f.ask(ctx, "Complete", id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Complete(ctx, id, answer)
	})
}

func (f farAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "Cancel", id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Cancel(ctx, id)
	})
}

func (f farAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	return f.ask(ctx, "Refund", r.ID+" "+r.Amount.String()+" of "+r.ChargeID,
		func(ctx context.Context) (payments.Outcome, error) {
			return f.Acquirer.Refund(ctx, r)
		})
}

func (f farAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "CancelRefund", id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.CancelRefund(ctx, id)
	})
}

func (f farAcquirer) DeleteCard(ctx context.Context, token string) error {
	_, err := f.ask(ctx, "DeleteCard", token, func(ctx context.Context) (payments.Outcome, error) {
		return payments.Outcome{}, f.Acquirer.DeleteCard(ctx, token)
	})
	return err
}

// Statement is one call as a whole.
func (f farAcquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return statement(ctx, f.network, acquirer.ErrNotTaken, f.Acquirer.Statement)
}

func (f farAcquirer) ask(ctx context.Context, name, about string, do func(context.Context) (payments.Outcome,
	error)) (payments.Outcome, error) {
	return carry(ctx, f.network, Call{Name: name, About: about, NotTaken: acquirer.ErrNotTaken},
		func(o payments.Outcome) string { return string(o.Decision) }, do)
}
