// Package steps runs steps without passing errors on. Check panics with an error. The Try around the step, in the same
// goroutine, recovers the error and returns it.
package steps

import (
	"context"
	"time"
)

type ended struct{ why error }

// Check ends the step if err is not nil. The surrounding Try returns err.
func Check(err error) {
	if err != nil {
		panic(ended{err})
	}
}

// Try runs a step and returns the error that ended it.
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

// Pause waits for d. If ctx ends first, Pause ends the step.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
		Check(ctx.Err())
	}
}
