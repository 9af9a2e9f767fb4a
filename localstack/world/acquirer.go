package world

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// wrap puts the steps before an acquirer.
func (s *Steps) wrap(a acquirer.Acquirer) acquirer.Acquirer { return faultyAcquirer{a, s} }

// faultyAcquirer is an acquirer behind a network: each call is a step.
type faultyAcquirer struct {
	acquirer.Acquirer
	steps *Steps
}

func (f faultyAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return call(f.steps, "Charge", func() (payments.Outcome, error) { return f.Acquirer.Charge(ctx, c) })
}

func (f faultyAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return call(f.steps, "LookUp", func() (payments.Outcome, error) { return f.Acquirer.LookUp(ctx, id) })
}

func (f faultyAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return call(f.steps, "Complete", func() (payments.Outcome, error) { return f.Acquirer.Complete(ctx, id, answer) })
}

func (f faultyAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return call(f.steps, "Cancel", func() (payments.Outcome, error) { return f.Acquirer.Cancel(ctx, id) })
}

func (f faultyAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	return call(f.steps, "Refund", func() (payments.Outcome, error) { return f.Acquirer.Refund(ctx, r) })
}

func (f faultyAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return call(f.steps, "CancelRefund", func() (payments.Outcome, error) { return f.Acquirer.CancelRefund(ctx, id) })
}

func (f faultyAcquirer) Forget(ctx context.Context, token string) error {
	_, err := call(f.steps, "Forget", func() (struct{}, error) { return struct{}{}, f.Acquirer.Forget(ctx, token) })
	return err
}

// Statement is one step as a whole, as a file that arrives or does not.
func (f faultyAcquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return func(yield func(acquirer.Movement, error) bool) {
		lines, err := call(f.steps, "Statement", func() ([]acquirer.Movement, error) { return linesOf(f.Acquirer.Statement(ctx)) })
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

func linesOf(statement iter.Seq2[acquirer.Movement, error]) ([]acquirer.Movement, error) {
	var lines []acquirer.Movement
	for line, err := range statement {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// call makes one step of an acquirer's call.
func call[T any](steps *Steps, name string, do func() (T, error)) (T, error) {
	return step(steps, name, acquirer.ErrNotTaken, do)
}

// step makes one step of a call to another party. Throttle and Conflict are
// one that certainly took nothing.
func step[T any](steps *Steps, name string, notTaken error, do func() (T, error)) (T, error) {
	var none T
	fault, err := steps.next(name)
	if err != nil {
		return none, err
	}
	switch fault {
	case FailBefore:
		return none, errNetwork
	case Throttle, Conflict:
		return none, notTaken
	}
	result, err := do()
	if fault == LoseReply || fault == Crash {
		return none, errNetwork
	}
	return result, err
}
