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
	return carry(ctx, f.network, toAcquirer("Charge", c.ID+" "+c.Amount.String()), decision, f.Acquirer.Charge, c)
}

func (f farAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.network, toAcquirer("LookUp", id), decision, f.Acquirer.LookUp, id)
}

func (f farAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return carry(ctx, f.network, toAcquirer("Complete", id), decision,
		func(ctx context.Context, answer string) (payments.Outcome, error) {
			return f.Acquirer.Complete(ctx, id, answer)
		}, answer)
}

func (f farAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.network, toAcquirer("Cancel", id), decision, f.Acquirer.Cancel, id)
}

func (f farAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	c := toAcquirer("Refund", r.ID+" "+r.Amount.String()+" of "+r.ChargeID)
	return carry(ctx, f.network, c, decision, f.Acquirer.Refund, r)
}

func (f farAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return carry(ctx, f.network, toAcquirer("CancelRefund", id), decision, f.Acquirer.CancelRefund, id)
}

func (f farAcquirer) DeleteCard(ctx context.Context, token string) error {
	_, err := carry(ctx, f.network, toAcquirer("DeleteCard", token), decision,
		func(ctx context.Context, token string) (payments.Outcome, error) {
			return payments.Outcome{}, f.Acquirer.DeleteCard(ctx, token)
		}, token)
	return err
}

// Statement is one call as a whole.
func (f farAcquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return statement(ctx, f.network, acquirer.ErrNotTaken, f.Acquirer.Statement)
}

func toAcquirer(name, about string) Call {
	return Call{Name: name, About: about, NotTaken: acquirer.ErrNotTaken}
}

func decision(o payments.Outcome) string { return string(o.Decision) }
