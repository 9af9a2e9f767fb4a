package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/lambda/runtime"
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
	host host
	app  *app.App // of the function itself when it runs inside, else only to look at
	arn  string
}

// host makes a function's calls: in this process (inside), or in processes of their own (runtime.Function).
type host interface {
	// Invoke makes one call with the function's time limit. Errors: the function's own, a panic or another end, or
	// running out of time. ctx ends the waiting, and with it the call.
	Invoke(ctx context.Context, id string, payload []byte) ([]byte, error)
	// Stop ends what can be ended.
	Stop()
}

func (r *Runner) newFunction(ctx context.Context, f functions.Function, a *app.App) (*function, error) {
	deployed := &function{Function: f, app: a, arn: arnOf(f, a.Region)}
	switch {
	case f.HTTP == nil && f.Queue == nil && f.Stream == nil && f.Tick == nil && f.Invoke == nil:
		return nil, fmt.Errorf("function %q: nothing calls it", f.Name)
	case r.config.Programs == "":
		deployed.host = newInside(f, handlerOf(f, a), deployed.arn, r.calls)
		return deployed, nil
	}
	programs := Programs{Folder: r.config.Programs, Environment: r.environment,
		Credentials: r.config.Overrides.Credentials, Log: r.config.Log}
	c, err := programs.Of(ctx, f)
	deployed.host = runtime.New(c)
	return deployed, err
}

func arnOf(f functions.Function, region string) string {
	return "arn:aws:lambda:" + region + ":" + account + ":function:" + f.Name
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

// call makes one call. Errors: the host's, which are logged.
func (c *calls) call(ctx context.Context, f *function, payload []byte) ([]byte, error) {
	id := uuid.NewString()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	c.begin()
	defer c.end()
	reply, err := f.host.Invoke(ctx, id, payload)
	if err != nil {
		c.log.ErrorContext(ctx, "function failed", "function", f.Name, "lambda_request_id", id, "error", err)
	}
	return reply, err
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
