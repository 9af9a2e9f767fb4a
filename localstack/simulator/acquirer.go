package simulator

import (
	"context"
	"fmt"
	"iter"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// farAcquirer is an acquirer behind a network. Another party runs it: it goes
// on with what it took when our process dies or stops listening.
type farAcquirer struct {
	acquirer.Acquirer
	world *World
}

func (f farAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return f.ask(ctx, "Charge "+c.ID+" "+c.Amount.String(), func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Charge(ctx, c)
	})
}

func (f farAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "LookUp "+id, func(ctx context.Context) (payments.Outcome, error) { return f.Acquirer.LookUp(ctx, id) })
}

func (f farAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return f.ask(ctx, "Complete "+id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Complete(ctx, id, answer)
	})
}

func (f farAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "Cancel "+id, func(ctx context.Context) (payments.Outcome, error) { return f.Acquirer.Cancel(ctx, id) })
}

func (f farAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	return f.ask(ctx, "Refund "+r.ID+" "+r.Amount.String()+" of "+r.ChargeID, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.Refund(ctx, r)
	})
}

func (f farAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return f.ask(ctx, "CancelRefund "+id, func(ctx context.Context) (payments.Outcome, error) {
		return f.Acquirer.CancelRefund(ctx, id)
	})
}

func (f farAcquirer) Forget(ctx context.Context, token string) error {
	_, err := f.ask(ctx, "Forget "+token, func(ctx context.Context) (payments.Outcome, error) {
		return payments.Outcome{}, f.Acquirer.Forget(ctx, token)
	})
	return err
}

// Statement is one call as a whole, as a file that arrives or does not.
func (f farAcquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return func(yield func(acquirer.Movement, error) bool) {
		lines, err := perform(f.world, ctx, exchange[[]acquirer.Movement]{
			kind: toAcquirer, label: "Statement",
			send: func() ([]acquirer.Movement, string, error) {
				lines, err := linesOf(f.Acquirer.Statement(context.WithoutCancel(ctx)))
				if err != nil {
					return nil, err.Error(), err
				}
				return lines, fmt.Sprintf("%d lines", len(lines)), nil
			},
			refuse: func(fault) ([]acquirer.Movement, error) { return nil, acquirer.ErrNotTaken },
		})
		if err != nil {
			yield(acquirer.Movement{}, err)
			return
		}
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func linesOf[T any](statement iter.Seq2[T, error]) ([]T, error) {
	var lines []T
	for line, err := range statement {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// ask makes one call. Throttled, the acquirer certainly took nothing.
func (f farAcquirer) ask(ctx context.Context, label string, do func(context.Context) (payments.Outcome, error)) (payments.Outcome, error) {
	return perform(f.world, ctx, exchange[payments.Outcome]{
		kind: toAcquirer, label: label,
		send: func() (payments.Outcome, string, error) {
			o, err := do(context.WithoutCancel(ctx))
			if err != nil {
				return o, err.Error(), err
			}
			return o, string(o.Decision), nil
		},
		refuse: func(fault) (payments.Outcome, error) { return payments.Outcome{}, acquirer.ErrNotTaken },
	})
}
