// Package runner is Lambda and its callers in one process: an HTTP API, the event source mappings of stream and queues,
// and the scheduler. It calls [functions.All] as AWS does, with JSON events and time limits, over any DynamoDB and SQS
// endpoint, in this process, or with Config.Programs as they are deployed (package runtime).
//
// Unlike AWS it freezes no function between calls, abandons rather than kills a call here that runs out of time, keeps
// the stream's position in memory, and throttles nothing. Only the local run and tests import it.
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Config says what runs, over what. Environment is required.
type Config struct {
	Functions []functions.Function // nil: functions.All
	Queues    []functions.Queue    // nil: functions.Queues
	// QueuePrefix separates the queues of runners that share an engine.
	QueuePrefix string

	// Environment of every function. The runner adds the queues' URLs, and BASE_URL if only Addr is given.
	Environment map[string]string
	Overrides   app.Overrides // of every function; of programs only the credentials
	// SecretUsed is told of each key derived; functions here then get all secrets. nil: only those they use.
	SecretUsed func(function string, s app.Secret)
	HTTP       aws.HTTPClient // of the runner's own AWS clients, without the faults in Overrides.HTTP; nil: the SDK's

	Programs string // folder of runtime.Build: the functions are processes of these; "": they run in this one

	// WrapAPI is put before the HTTP API; nil: nothing is.
	WrapAPI func(*gateway.Gateway) http.Handler

	Addr string // of the HTTP API, such as 127.0.0.1:8080, port 0 for a free one; "": only Handler
	// ReadTimeout limits how long a client sends a request; 0: 30 s, API Gateway's time for all of it.
	ReadTimeout time.Duration
	// Manual: only the HTTP API runs by itself; tests call TickNow, DrainStream and DrainQueues.
	Manual bool
	// SkipBacklog begins the stream at its end. The sweep finds what earlier records would have caused.
	SkipBacklog bool
	Log         *slog.Logger // nil: slog.Default
}

// Runner is a running platform.
type Runner struct {
	// URL of the HTTP API; "" without Config.Addr.
	URL string

	config      Config
	environment map[string]string
	functions   map[string]*function
	gateway     http.Handler
	stream      *stream // nil when no function reads it
	consumers   []*consumer
	schedules   []*schedule

	calls    *calls
	server   *http.Server
	stop     context.CancelFunc
	loops    sync.WaitGroup
	ended    chan struct{}
	serveErr error
}

// stopGrace is how long requests and events under way may go on after Stop.
const stopGrace = 5 * time.Second

// Start makes missing tables and queues, and runs the functions until ctx ends or Stop. Errors: a bad environment, an
// address in use (syscall.EADDRINUSE), an engine's.
func Start(ctx context.Context, c Config) (*Runner, error) {
	if c.Functions == nil {
		c.Functions = functions.All
	}
	if c.Queues == nil {
		c.Queues = functions.Queues
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.ReadTimeout == 0 {
		c.ReadTimeout = 30 * time.Second
	}
	r := &Runner{config: c, environment: maps.Clone(c.Environment), functions: map[string]*function{},
		calls: newCalls(ctx, c.Log), ended: make(chan struct{})}
	listener, err := r.listen(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.prepare(ctx); err != nil {
		if listener != nil {
			listener.Close()
		}
		return nil, fmt.Errorf("runner: %w", err)
	}
	r.run(ctx, listener)
	return r, nil
}

// Environment is that of every function, complete: for a function run elsewhere over the same engines.
func (r *Runner) Environment() map[string]string { return maps.Clone(r.environment) }

// SetVariable changes a variable of the programs. Functions in this process read Config.Overrides instead.
func (r *Runner) SetVariable(name, value string) {
	for _, f := range r.functions {
		if f.processes != nil {
			f.processes.SetVariable(name, value)
		}
	}
}

// Handler returns the HTTP API, for tests that need no port.
func (r *Runner) Handler() http.Handler { return r.gateway }

// Stop lets what is under way end, for a few seconds, and returns when nothing runs any more. It may be called again.
func (r *Runner) Stop() {
	r.stop()
	<-r.ended
}

// Wait returns when the runner has stopped, with the error that ended the HTTP API, if one did.
func (r *Runner) Wait() error {
	<-r.ended
	return r.serveErr
}

// Invoke calls a function directly, as an operator does, with its caller's event. The error is the function's.
func (r *Runner) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	f := r.functions[name]
	if f == nil {
		return nil, fmt.Errorf("runner: no function %q", name)
	}
	return r.calls.call(ctx, f, payload)
}

// listen opens the port before anything else: a busy port is the most common mistake.
func (r *Runner) listen(ctx context.Context) (net.Listener, error) {
	if r.config.Addr == "" {
		return nil, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", r.config.Addr)
	if err != nil {
		return nil, err
	}
	r.URL = "http://" + listener.Addr().String()
	if r.environment["BASE_URL"] == "" {
		r.environment["BASE_URL"] = r.URL
	}
	return listener, nil
}

// run starts the loops, and the one goroutine that ends them.
func (r *Runner) run(ctx context.Context, listener net.Listener) {
	ctx, r.stop = context.WithCancel(ctx)
	if !r.config.Manual {
		r.poll(ctx)
	}
	// API Gateway refuses larger headers with 431 as well. Clients end idle connections first, commonly after 90 s, so
	// that no request meets one that is being closed.
	r.server = &http.Server{Handler: r.gateway, MaxHeaderBytes: 10 << 10,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: r.config.ReadTimeout, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(r.config.Log.Handler(), slog.LevelDebug)}
	if listener != nil {
		r.loops.Go(func() {
			if err := r.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				r.serveErr = err
				r.stop()
			}
		})
	}
	go r.end(ctx)
}

func (r *Runner) poll(ctx context.Context) {
	if r.stream != nil {
		r.loops.Go(func() { r.stream.poll(ctx) })
	}
	for _, c := range r.consumers {
		for range pollers {
			r.loops.Go(func() { c.poll(ctx) })
		}
	}
	for _, s := range r.schedules {
		r.loops.Go(func() { s.run(ctx) })
	}
}

func (r *Runner) end(ctx context.Context) {
	defer close(r.ended)
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	defer context.AfterFunc(grace, r.calls.cancel)()
	if r.server.Shutdown(grace) != nil {
		r.server.Close()
	}
	r.loops.Wait()
	r.calls.wait(grace)
	for _, f := range r.functions {
		if f.processes != nil {
			f.processes.Stop()
		}
	}
}
