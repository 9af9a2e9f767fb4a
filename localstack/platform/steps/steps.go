// Package steps runs steps without passing errors on: Check panics at an error, which Try returns in that goroutine.
package steps

import (
	"context"
	"time"
)

type ended struct{ why error }

// Check ends the step at an error: the Try around it returns the error.
func Check(err error) {
	if err != nil {
		panic(ended{err})
	}
}

// Try runs a step, and returns the error that ended it.
func Try(step func()) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case ended:
			err = cause.why
		default:
			panic(cause)
		}
	}()
	step()
	return nil
}

// Pause lets time pass, or ends the step with ctx.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
		Check(ctx.Err())
	}
}
