package runner

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// function is one Lambda. Functions share no memory.
type function struct {
	functions.Function
	// invoke makes one call within ctx and the function's time limit. It fails if the function fails, ends or times out.
	invoke    func(ctx context.Context, id string, payload []byte) ([]byte, error)
	processes *runtime.Function // nil if the function runs in this process
}

func (r *Runner) newFunction(ctx context.Context, f functions.Function, c app.Config) (*function, error) {
	if r.config.Programs == "" {
		overrides := r.config.Overrides
		if used := r.config.SecretUsed; used != nil {
			overrides.SecretUsed = func(s app.Secret) { used(f.Name, s) }
		} else {
			c = c.Only(f.Access().Secrets...)
		}
		start := startOnce(func() (*inprocess.Function, error) { return inprocess.New(f, app.New(c, overrides)) })
		if !r.config.Manual { // each test calls few functions, so start them on demand
			if _, err := start(); err != nil {
				return nil, err
			}
		}
		return &function{Function: f, invoke: r.calls.newInvoke(start)}, nil
	}
	programs := Programs{Folder: r.config.Programs, Environment: r.environment,
		Credentials: r.config.Overrides.Credentials, Log: r.config.Log}
	program, err := programs.Of(ctx, f)
	processes := runtime.New(program)
	return &function{f, processes.Invoke, processes}, err
}

type calls struct {
	ctx    context.Context // ends after the runner's grace period
	cancel context.CancelFunc
	log    *slog.Logger

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when running falls to 0; nil unless wait is waiting
}

// newCalls returns calls that have the values of ctx, but do not end with ctx. As in Lambda, a call outlives the
// request that caused it.
func newCalls(ctx context.Context, log *slog.Logger) *calls {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &calls{ctx: ctx, cancel: cancel, log: log}
}

// call makes one call. It logs and returns the function's error.
func (c *calls) call(ctx context.Context, f *function, payload []byte) ([]byte, error) {
	id := uuid.NewString()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)() //nolint:contextcheck // the runner ends calls that their callers do not end
	c.begin()
	defer c.end()
	reply, err := f.invoke(ctx, id, payload)
	if err != nil {
		c.log.ErrorContext(ctx, "function failed", "function", f.Name, "lambda_request_id", id, "error", err)
	}
	return reply, err
}

func send[Reply any](ctx context.Context, c *calls, f *function, event any) (Reply, error) {
	return inprocess.Send[Reply](ctx, event, func(ctx context.Context, payload []byte) ([]byte, error) {
		return c.call(ctx, f, payload)
	})
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

// wait waits until no call is running or ctx ends. A function that ignores its context is abandoned.
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

// startOnce returns a function that calls open once. If open panics, the returned function returns the panic as an
// error.
func startOnce(open func() (*inprocess.Function, error)) func() (*inprocess.Function, error) {
	return sync.OnceValues(func() (f *inprocess.Function, err error) {
		defer recoverError(&err)
		return open()
	})
}

// newInvoke returns the value of function.invoke for a function that runs in this process. The first call starts the
// function. A call that exceeds its time limit is abandoned.
func (c *calls) newInvoke(start func() (*inprocess.Function, error)) func(context.Context, string, []byte) ([]byte,
	error) {
	return func(ctx context.Context, id string, payload []byte) ([]byte, error) {
		f, err := start()
		if err != nil {
			return nil, err
		}
		ctx, cancel := f.Context(ctx, id)
		defer cancel()
		return c.runOrAbandon(ctx, f, payload)
	}
}

// runOrAbandon calls the handler once. It returns at the end of ctx even if the handler has not returned.
func (c *calls) runOrAbandon(ctx context.Context, f *inprocess.Function, payload []byte) ([]byte, error) {
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
		defer recoverError(&r.err)
		r.payload, r.err = f.Invoke(ctx, payload)
	}()
	select {
	case r := <-replies:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("stopped, or timed out after %v: %w", f.Timeout, ctx.Err())
	}
}

func recoverError(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
