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

// Statement is one step.
func (f faultyAcquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return statement(f.steps, acquirer.ErrNotTaken, f.Acquirer.Statement(ctx))
}

// call makes one step of an acquirer's call.
func call[T any](steps *Steps, name string, do func() (T, error)) (T, error) {
	return step(steps, name, acquirer.ErrNotTaken, do)
}
