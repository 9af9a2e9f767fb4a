package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/lambda/inprocess"
)

// onceSafely returns a function that opens once. A panic of open is its error.
func onceSafely(open func() (*inprocess.Function, error)) func() (*inprocess.Function, error) {
	return sync.OnceValues(func() (f *inprocess.Function, err error) {
		defer recovered(&err)
		return open()
	})
}

// here makes calls of a function in this process, which starts with the first one, as in Lambda, unless it was started
// before. A handler that runs out of time is abandoned.
func (c *calls) here(start func() (*inprocess.Function, error)) func(context.Context, string, []byte) ([]byte, error) {
	return func(ctx context.Context, id string, payload []byte) ([]byte, error) {
		f, err := start()
		if err != nil {
			return nil, err
		}
		ctx, cancel := f.Context(ctx, id)
		defer cancel()
		return c.invoke(ctx, f, payload)
	}
}

// invoke makes one call, and returns at the end of ctx if the handler does not.
func (c *calls) invoke(ctx context.Context, f *inprocess.Function, payload []byte) ([]byte, error) {
	type reply struct {
		payload []byte
		err     error
	}
	replies := make(chan reply, 1)
	c.begin()
	go func() {
		defer c.end()
		var r reply
		defer func() { replies <- r }()
		defer recovered(&r.err)
		r.payload, r.err = f.Invoke(ctx, payload)
	}()
	select {
	case r := <-replies:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("stopped, or timed out after %v: %w", f.Timeout, ctx.Err())
	}
}

func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
