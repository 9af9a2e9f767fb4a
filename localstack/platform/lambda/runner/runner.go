// Package runner runs Lambda functions and their callers in one process: an HTTP API, the event source mappings of
// stream and queues, and the scheduler. Start calls [functions.All] as AWS does, with JSON events and time limits, over
// any DynamoDB and SQS endpoint. Functions run in this process or, with Config.Programs, as deployed (package runtime).
//
// Unlike AWS, the runner freezes no function between calls, keeps the stream's position in memory and throttles
// nothing. If a call in this process times out, the runner abandons the call and does not kill it. Only the local run
// and tests import this package.
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

// Config configures a Runner. Environment is required.
type Config struct {
	Functions []functions.Function // nil means functions.All
	Queues    []functions.Queue    // nil means functions.Queues
	// QueuePrefix separates the queues of runners that share an engine.
	QueuePrefix string

	// Environment holds every function's variables. The runner adds the queues' URLs. If Addr is set and BASE_URL is
	// missing, it also adds BASE_URL.
	Environment map[string]string
	Overrides   app.Overrides // of every function; programs use only the credentials
	// SecretUsed, if set, is called for each derived key, and functions in this process get all secrets. If it is nil, a
	// function gets only its own secrets.
	SecretUsed func(function string, s app.Secret)
	HTTP       aws.HTTPClient // for the runner's own AWS calls, without the faults in Overrides.HTTP; nil means the SDK's

	Programs string // result of runtime.Build, to run functions as processes; "" runs them in this process

	// WrapAPI, if set, returns a handler to put before the HTTP API.
	WrapAPI func(*gateway.Gateway) http.Handler

	Addr string // of the HTTP API, such as 127.0.0.1:8080; port 0 picks a free one; "" serves only Handler
	// ReadTimeout limits how long a client sends a request. 0 means 30 s, API Gateway's limit for the whole call.
	ReadTimeout time.Duration
	// Manual runs only the HTTP API automatically. Tests call TickNow, DrainStream and DrainQueues.
	Manual bool
	// SkipBacklog starts the stream at its end. The sweep does the work of earlier records.
	SkipBacklog bool
	Log         *slog.Logger // nil means slog.Default
}

// Runner is a running platform.
type Runner struct {
	// URL is the HTTP API's address, or "" without Config.Addr.
	URL string

	config      Config
	environment map[string]string
	functions   map[string]*function
	gateway     http.Handler
	stream      *stream // nil if no function reads the stream
	consumers   []*consumer
	schedules   []*schedule

	calls    *calls
	server   *http.Server
	stop     context.CancelFunc
	loops    sync.WaitGroup
	ended    chan struct{}
	serveErr error
}

// stopGrace is the time that running requests and events get after Stop.
const stopGrace = 5 * time.Second

// Start creates missing tables and queues and runs the functions until ctx ends or Stop is called. It fails on a bad
// environment, on an address in use (syscall.EADDRINUSE), or with an engine's error.
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

// Environment returns every function's complete variables, for running a function elsewhere over the same engines.
func (r *Runner) Environment() map[string]string { return maps.Clone(r.environment) }

// SetVariable changes a variable of the programs. Functions in this process read Config.Overrides instead.
func (r *Runner) SetVariable(name, value string) {
	for _, f := range r.functions {
		if f.processes != nil {
			f.processes.SetVariable(name, value)
		}
	}
}

// Handler returns the HTTP API for tests that need no port.
func (r *Runner) Handler() http.Handler { return r.gateway }

// Stop gives running calls a few seconds to end and returns when everything has ended. It may be called again.
func (r *Runner) Stop() {
	r.stop()
	<-r.ended
}

// Wait waits until the runner has stopped. It returns the error that ended the HTTP API, if any.
func (r *Runner) Wait() error {
	<-r.ended
	return r.serveErr
}

// Invoke calls a function directly with its caller's event, as an operator does. It returns the function's error.
func (r *Runner) Invoke(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	f := r.functions[name]
	if f == nil {
		return nil, fmt.Errorf("runner: no function %q", name)
	}
	return r.calls.call(ctx, f, payload)
}

// listen opens the port first, because a taken port is the most common mistake.
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

// run starts the loops, and a goroutine that ends them.
func (r *Runner) run(ctx context.Context, listener net.Listener) {
	ctx, r.stop = context.WithCancel(ctx)
	if !r.config.Manual {
		r.startPolling(ctx)
	}
	// API Gateway also refuses larger headers with 431. Clients commonly close idle connections after 90 s. A longer
	// IdleTimeout keeps the server from closing a connection just when a request arrives.
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

func (r *Runner) startPolling(ctx context.Context) {
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
