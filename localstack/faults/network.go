package faults

import (
	"context"
	"fmt"
	"iter"
)

// Network carries the calls to a counterparty, and lets faults happen to them.
type Network interface {
	// Carry has a call happen or not. Errors: the network's, the call's NotTaken,
	// or its own.
	Carry(ctx context.Context, c Call) error
}

// Call is one call to a counterparty.
type Call struct {
	Name     string // of the operation
	About    string // the ids and amounts, for a log; or ""
	NotTaken error  // what the counterparty answers when it certainly did nothing
	// Send makes the call. The outcome is for a log.
	Send func(ctx context.Context) (outcome string, err error)
}

// carry sends a call through the network, and returns its result. A call that arrives late has none.
func carry[In, T any](ctx context.Context, n Network, c Call, word func(T) string,
	do func(context.Context, In) (T, error), says In) (T, error) {
	var result, none T
	c.Send = func(ctx context.Context) (string, error) {
		got, err := do(ctx, says)
		if err != nil {
			return err.Error(), err
		}
		result = got
		return word(got), nil
	}
	if err := n.Carry(ctx, c); err != nil {
		return none, err
	}
	return result, nil
}

// tell sends a call without a result through the network.
func tell[In any](ctx context.Context, n Network, c Call, do func(context.Context, In) error, says In) error {
	_, err := carry(ctx, n, c, func(struct{}) string { return "done" },
		func(ctx context.Context, says In) (struct{}, error) { return struct{}{}, do(ctx, says) }, says)
	return err
}

// statement has a counterparty's statement carried as a whole, as a file that arrives
// or does not.
func statement[T any](ctx context.Context, n Network, notTaken error, read func(context.Context) iter.Seq2[T,
	error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		lines, err := carry(ctx, n, Call{Name: "Statement", NotTaken: notTaken},
			func(lines []T) string { return fmt.Sprintf("%d lines", len(lines)) },
			func(ctx context.Context, _ struct{}) ([]T, error) { return collect(read(ctx)) }, struct{}{})
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func collect[T any](all iter.Seq2[T, error]) ([]T, error) {
	var lines []T
	for line, err := range all {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
