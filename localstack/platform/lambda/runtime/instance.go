package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

const (
	// initLimit is Lambda's limit of the time until a program requests its first event.
	initLimit = 10 * time.Second
	// outputLimit is the time for reading the output left in an ended process's pipes.
	outputLimit = time.Second
)

// Instance is one execution environment: a process, and the Runtime API for that process alone.
type Instance struct {
	Init time.Duration // from the start of the process to its first request for an event

	config      Config
	cmd         *exec.Cmd
	server      *http.Server
	started     time.Time
	asks        chan struct{}    // has an entry when the process requests an event
	invocations chan *invocation // delivers that event
	ended       chan struct{}    // closed when the process has ended and its output is read
	exit        error            // reason of the end

	calls      int         // number of answered calls; only the instance's user reads it
	retirement *time.Timer // set while idle
	version    int         // of the environment at its start

	mu      sync.Mutex
	current *invocation
}

type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
	answers  chan answer // has room for one
}

type answer struct {
	payload []byte
	err     error
}

// Start runs a single instance, and returns when the instance requests its first event. Errors are those of
// Function.Invoke.
func Start(ctx context.Context, c Config) (*Instance, error) {
	i, err := spawn(c, 1) //nolint:contextcheck // ctx limits the wait, not the instance
	if err != nil {
		return nil, err
	}
	return i, i.awaitReady(ctx, "init")
}

func spawn(c Config, number int) (*Instance, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	name := fmt.Sprintf("%s#%d", c.Name, number)
	out := &output{log: c.Log.With("process", name)}
	i := &Instance{config: c, cmd: exec.Command(c.Program),
		asks: make(chan struct{}, 1), invocations: make(chan *invocation), ended: make(chan struct{})}
	i.server = &http.Server{Handler: i.apiHandler(), ReadHeaderTimeout: initLimit,
		ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug)}
	address, served, err := control.Serve(i.server)
	if err != nil {
		return nil, err
	}
	i.cmd.Dir = filepath.Dir(c.Program)
	i.cmd.Env = c.environment(strings.TrimPrefix(address, "http://"), number)
	i.cmd.Stdout, i.cmd.Stderr, i.cmd.WaitDelay = out, out, outputLimit
	dieWithUs(i.cmd)
	i.started = time.Now()
	if err := i.cmd.Start(); err != nil {
		i.server.Close()
		return nil, fmt.Errorf("runtime: start %s: %w", c.Name, err)
	}
	go func() {
		i.exit = i.cmd.Wait()
		i.server.Close()
		<-served
		out.flush()
		close(i.ended)
	}()
	return i, nil
}

func (i *Instance) awaitReady(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, initLimit, timeoutError(id, initLimit))
	defer cancel()
	select {
	case <-i.asks:
		i.Init = time.Since(i.started)
		return nil
	case <-i.ended:
		return i.exitError(id)
	case <-ctx.Done():
		i.Stop()
		return context.Cause(ctx)
	}
}

// call delivers an event and returns the answer when the process requests the next event. It fails with the errors of
// Invoke, or with errGone.
func (i *Instance) call(ctx context.Context, id string, payload []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, i.config.Timeout, timeoutError(id, i.config.Timeout))
	defer cancel()
	deadline, _ := ctx.Deadline()
	t := &invocation{id: id, payload: payload, deadline: deadline, answers: make(chan answer, 1)}
	if i.hasEnded() { // the closed server may still hold the process's request for an event
		return nil, errGone
	}
	select {
	case i.invocations <- t:
	case <-i.ended:
		return nil, errGone
	case <-ctx.Done():
		i.Stop()
		return nil, context.Cause(ctx)
	}
	a, err := i.await(ctx, t)
	if err != nil {
		return nil, err
	}
	i.calls++
	select {
	case <-i.asks:
	case <-i.ended:
	case <-ctx.Done(): // answered in time, but did not finish
		i.Stop()
	}
	return a.payload, a.err
}

// await returns the answer to an invocation, or an error if the process ends without one.
func (i *Instance) await(ctx context.Context, t *invocation) (answer, error) {
	select {
	case a := <-t.answers:
		return a, nil
	case <-ctx.Done():
		i.Stop()
		return answer{}, context.Cause(ctx)
	case <-i.ended:
	}
	select {
	case a := <-t.answers: // answered before it ended
		return a, nil
	default:
		return answer{}, i.exitError(t.id)
	}
}

// Stop kills the process without notice, as Lambda does, and returns when the process has ended. It may be called
// again.
func (i *Instance) Stop() {
	i.kill()
	<-i.ended
}

func (i *Instance) kill() {
	if !i.hasEnded() {
		processgroup.Kill(i.cmd)
	}
}

func (i *Instance) hasEnded() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}

// Error is a function's error in the form in which Lambda reports it to the caller.
type Error struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Types of errors that the function itself did not report.
const (
	ExitError = "Runtime.ExitError" // the process ended
	TimedOut  = "Sandbox.Timedout"  // the process was killed at the time limit
)

func (e *Error) Error() string { return e.Type + ": " + e.Message }

func timeoutError(id string, after time.Duration) error {
	return &Error{TimedOut, fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, after.Seconds())}
}

func (i *Instance) exitError(id string) error {
	how := "Runtime exited without providing a reason"
	if exit, ok := errors.AsType[*exec.ExitError](i.exit); ok {
		how = "Runtime exited with error: " + exit.Error()
	}
	return &Error{ExitError, "RequestId: " + id + " Error: " + how}
}

// environment returns all variables of a process: Lambda's variables (AWS: "Using Lambda environment variables") and
// the function's own variables.
func (c Config) environment(api string, number int) []string {
	variables := map[string]string{
		"AWS_LAMBDA_RUNTIME_API":         api,
		"AWS_LAMBDA_FUNCTION_NAME":       c.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":    "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
		"AWS_LAMBDA_LOG_FORMAT":          "JSON",
		"AWS_LAMBDA_LOG_GROUP_NAME":      "/aws/lambda/" + c.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME":     strconv.Itoa(number),
		"AWS_DEFAULT_REGION":             c.Environment["AWS_REGION"],
		"LAMBDA_TASK_ROOT":               filepath.Dir(c.Program),
		"LAMBDA_RUNTIME_DIR":             "/var/runtime",
		"_HANDLER":                       bootstrap,
		"PATH":                           "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"LANG":                           "en_US.UTF-8",
		"TZ":                             ":UTC",
	}
	maps.Copy(variables, c.Environment)
	environment := make([]string, 0, len(variables))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		environment = append(environment, name+"="+variables[name])
	}
	return environment
}
