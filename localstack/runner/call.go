package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Made up, in the form of real ones.
const (
	account = "000000000000"
	apiID   = "local"
)

// function is one Lambda with a world of its own, as its processes have: what a function keeps in memory no other sees.
type function struct {
	functions.Function
	app *app.App
	arn string
	// idle holds a lambda.Handler for each call that can be in flight: the bytes a handler returns are overwritten by
	// its next call.
	idle sync.Pool
}

func newFunction(f functions.Function, a *app.App) (*function, error) {
	handler, err := handlerOf(f, a)
	if err != nil {
		return nil, err
	}
	return &function{Function: f, app: a,
		arn:  "arn:aws:lambda:" + a.Region + ":" + account + ":function:" + f.Name,
		idle: sync.Pool{New: func() any { return lambda.NewHandler(handler) }}}, nil
}

// handlerOf is what the function's bootstrap gives to lambda.Start.
func handlerOf(f functions.Function, a *app.App) (any, error) {
	switch {
	case f.HTTP != nil:
		return a.HTTP(f.HTTP), nil
	case f.Queue != nil:
		return a.Queue(f.Queue.Handle), nil
	case f.Stream != nil:
		return a.Stream(f.Stream), nil
	case f.Invoke != nil: // also what a schedule calls besides
		return f.Invoke(a), nil
	case f.Tick != nil:
		return a.Tick(f.Tick.Handle), nil
	default:
		return nil, fmt.Errorf("function %q: nothing calls it", f.Name)
	}
}

// calls are all calls under way.
type calls struct {
	ctx    context.Context // ends when they must
	cancel context.CancelFunc
	log    *slog.Logger

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when running falls to 0; nil while nobody waits
}

// newCalls takes values, not the end, from ctx: a call under way outlives what asked for it, as in Lambda.
func newCalls(ctx context.Context, log *slog.Logger) *calls {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &calls{ctx: ctx, cancel: cancel, log: log}
}

// call makes one call with the function's time limit. Errors: the function's own, a panic, or running out of time.
// ctx ends the waiting, and with it the call.
func (c *calls) call(ctx context.Context, f *function, payload []byte) ([]byte, error) {
	id := uuid.NewString()
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: id, InvokedFunctionArn: f.arn})

	type reply struct {
		payload []byte
		err     error
	}
	replies := make(chan reply, 1)
	c.begin()
	go func() {
		defer c.end()
		out, err := f.handle(ctx, payload)
		replies <- reply{out, err}
	}()
	var r reply
	select {
	case r = <-replies:
	case <-ctx.Done():
		r.err = fmt.Errorf("stopped, or timed out after %v: %w", f.Timeout, ctx.Err())
	}
	if r.err != nil {
		c.log.ErrorContext(ctx, "function failed", "function", f.Name, "lambda_request_id", id, "error", r.err)
	}
	return r.payload, r.err
}

// handle is one turn of the Lambda runtime's loop.
func (f *function) handle(ctx context.Context, payload []byte) (out []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	handler := f.idle.Get().(lambda.Handler)
	out, err = handler.Invoke(ctx, payload)
	out = bytes.Clone(out)
	f.idle.Put(handler)
	return out, err
}

// send calls the function with an event and reads its reply.
func send[Reply any](ctx context.Context, c *calls, f *function, event any) (reply Reply, err error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return reply, err
	}
	out, err := c.call(ctx, f, payload)
	if err != nil {
		return reply, err
	}
	return reply, json.Unmarshal(out, &reply)
}

func (c *calls) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
}

func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// wait returns when no call is under way, or soon after ctx ended: a function that does not heed its context can only be
// left behind.
func (c *calls) wait(ctx context.Context) {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
