// Package counterparty puts a network before acquirers, banks and terminals. A Network sees each call and can make it
// fail: wrap a counterparty by Acquirer, Bank or Terminals.
package counterparty

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Network carries calls to a counterparty.
type Network interface {
	// Carry calls c.Send, or fails without calling it. It returns the error of c.Send, c.NotTaken, or an error of the
	// network.
	Carry(ctx context.Context, c Call) error
}

// Call is one call to a counterparty.
type Call struct {
	Name     string // of the operation
	About    string // ids and amounts for a log, or ""
	NotTaken error  // the counterparty's error for a call that certainly had no effect
	// Send makes the call. Its outcome is a text for a log.
	Send func(ctx context.Context) (outcome string, err error)
}

type line struct {
	Network
	notTaken error // the counterparty's error for a call that certainly had no effect
}

// carry sends a call over the line and returns its result. If carry returns an error, it returns no result, even if the
// call arrives late.
func carry[In, T any](ctx context.Context, l line, name, about string, describe func(T) string,
	do func(context.Context, In) (T, error), argument In) (T, error) {
	var result, none T
	c := Call{Name: name, About: about, NotTaken: l.notTaken, Send: func(ctx context.Context) (string, error) {
		got, err := do(ctx, argument)
		if err != nil {
			return err.Error(), err
		}
		result = got
		return describe(got), nil
	}}
	if err := l.Carry(ctx, c); err != nil {
		return none, err
	}
	return result, nil
}

func tell[In any](ctx context.Context, l line, name, about string, do func(context.Context, In) error,
	argument In) error {
	_, err := carry(ctx, l, name, about, func(struct{}) string { return "done" },
		func(ctx context.Context, argument In) (struct{}, error) { return struct{}{}, do(ctx, argument) }, argument)
	return err
}

// carryAll carries a whole list as one call, like a file that arrives whole or not at all.
func carryAll[T any](ctx context.Context, l line, name string, since time.Time,
	read func(context.Context, time.Time) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		lines, err := carry(ctx, l, name, "", func(lines []T) string { return fmt.Sprintf("%d lines", len(lines)) },
			func(ctx context.Context, since time.Time) ([]T, error) { return collect(read(ctx, since)) }, since)
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
