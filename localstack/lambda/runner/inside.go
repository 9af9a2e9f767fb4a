package runner

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// inside is a function in this process: it makes as many calls at a time as it is asked for.
type inside struct {
	timeout time.Duration
	arn     string
	calls   *calls
	// idle holds a lambda.Handler for each call that can be in flight: the bytes a handler returns are overwritten by
	// its next call.
	idle sync.Pool
}

func newInside(f functions.Function, handler any, arn string, c *calls) *inside {
	return &inside{timeout: f.Timeout, arn: arn, calls: c,
		idle: sync.Pool{New: func() any { return lambda.NewHandler(handler) }}}
}

// handlerOf is what the function's bootstrap gives to lambda.Start.
func handlerOf(f functions.Function, a *app.App) any {
	switch {
	case f.HTTP != nil:
		return a.HTTP(f.HTTP)
	case f.Queue != nil:
		return a.Queue(f.Queue.Handle)
	case f.Stream != nil:
		return a.Stream(f.Stream)
	case f.Invoke != nil: // also what a schedule calls besides
		return f.Invoke(a)
	default:
		return a.Tick(f.Tick.Handle)
	}
}

// Invoke makes one call. A handler that runs out of time is left behind.
func (h *inside) Invoke(ctx context.Context, id string, payload []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: id, InvokedFunctionArn: h.arn})

	type reply struct {
		payload []byte
		err     error
	}
	replies := make(chan reply, 1)
	h.calls.begin()
	go func() {
		defer h.calls.end()
		out, err := h.handle(ctx, payload)
		replies <- reply{out, err}
	}()
	select {
	case r := <-replies:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("stopped, or timed out after %v: %w", h.timeout, ctx.Err())
	}
}

// handle is one turn of the Lambda runtime's loop.
func (h *inside) handle(ctx context.Context, payload []byte) (out []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	handler := h.idle.Get().(lambda.Handler)
	out, err = handler.Invoke(ctx, payload)
	out = bytes.Clone(out)
	h.idle.Put(handler)
	return out, err
}

// Stop has nothing to end: what is under way ends by itself, or with this process.
func (*inside) Stop() {}
