package simulator

import (
	"context"
	"fmt"
	"iter"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
)

// farBank is a bank behind a network, another party as farAcquirer is.
type farBank struct {
	bank.Bank
	world *World
}

// far puts a network before a bank that is another party. Live mode's keeps its
// orders in the platform's own books, where everything can happen to them.
func (w *World) far(b bank.Bank) bank.Bank {
	if _, ours := b.(*file.Bank); ours {
		return b
	}
	return farBank{b, w}
}

func (f farBank) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	return f.ask(ctx, "Transfer "+t.ID+" "+t.Amount.String(), func(ctx context.Context) (bank.Outcome, error) {
		return f.Bank.Transfer(ctx, t)
	})
}

func (f farBank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	return f.ask(ctx, "Cancel "+id, func(ctx context.Context) (bank.Outcome, error) { return f.Bank.Cancel(ctx, id) })
}

// ask makes one call. Throttled, the bank certainly took nothing.
func (f farBank) ask(ctx context.Context, label string, do func(context.Context) (bank.Outcome, error)) (bank.Outcome, error) {
	return perform(f.world, ctx, exchange[bank.Outcome]{
		kind: toBank, label: label,
		send: func() (bank.Outcome, string, error) {
			o, err := do(context.WithoutCancel(ctx))
			if err != nil {
				return o, err.Error(), err
			}
			return o, string(o.State), nil
		},
		refuse: func(fault) (bank.Outcome, error) { return bank.Outcome{}, bank.ErrNotTaken },
	})
}

// Statement is one call as a whole, as a file that arrives or does not.
func (f farBank) Statement(ctx context.Context) iter.Seq2[bank.Booking, error] {
	return func(yield func(bank.Booking, error) bool) {
		lines, err := perform(f.world, ctx, exchange[[]bank.Booking]{
			kind: toBank, label: "Statement",
			send: func() ([]bank.Booking, string, error) {
				lines, err := linesOf(f.Bank.Statement(context.WithoutCancel(ctx)))
				if err != nil {
					return nil, err.Error(), err
				}
				return lines, fmt.Sprintf("%d lines", len(lines)), nil
			},
			refuse: func(fault) ([]bank.Booking, error) { return nil, bank.ErrNotTaken },
		})
		if err != nil {
			yield(bank.Booking{}, err)
			return
		}
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}
