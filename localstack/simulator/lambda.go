package simulator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/shared/app"
)

// process is one execution environment of a function. It handles one call at a time, and keeps its memory until it
// dies.
type process struct {
	name string
	*inprocess.Function
}

// MaxSkew limits how far a process's clock is ahead or behind.
const MaxSkew = 3 * time.Second

func (w *World) startProcess(name string, roll uint64) *process {
	f := w.Function(name)
	w.started[name]++
	overrides := w.overrides
	if w.FaultProfile.Skews {
		skew := time.Duration(roll%uint64(2*MaxSkew)) - MaxSkew
		overrides.Now = func() time.Time { return w.Now().Add(skew) }
	}
	a := app.New(w.Config.Only(f.Access().Secrets...), overrides)
	started, err := inprocess.New(f, a)
	w.Must(err)
	return &process{fmt.Sprintf("%s#%d", name, w.started[name]), started}
}

// Function returns the function with the name.
func (w *World) Function(name string) functions.Function {
	return functions.All[slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })]
}

// Invocation is one call of a function.
type Invocation struct {
	Actor  string
	Name   string   // name of the function
	Tenant string   // tenant whose data the call may touch, or "" for any
	claim  string   // value of owner in the call's last PutItem of an idempotency item
	tried  []string // summaries of the invocation's calls to the table
	Bearer string   // the credential of its request
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	dead bool
}

type invocationKey struct{}

func invocationOf(ctx context.Context) *Invocation {
	i, _ := ctx.Value(invocationKey{}).(*Invocation)
	if i == nil {
		panic("sim: I/O outside an invocation")
	}
	return i
}

// isGone returns true if the process has died by a fault or at the function's time limit.
func (i *Invocation) isGone() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.dead || i.ctx.Err() != nil
}

func (i *Invocation) recordCall(summary string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tried = append(i.tried, summary)
}

func (i *Invocation) die() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dead = true
	i.cancel()
}

// Invoke sends an event to a function, in an idle or a new process of the function. roll chooses the process. Invoke
// returns when the call has ended completely. Errors: faults.ErrGone, or an error of the function.
func Invoke[Reply, Event any](w *World, caller, name, tenant string, roll uint64, event Event) (Reply, *Invocation,
	error) {
	p := w.acquireProcess(name, roll)
	i := &Invocation{Actor: caller + " " + p.name, Name: name, Tenant: tenant}
	if request, ok := any(event).(events.APIGatewayV2HTTPRequest); ok {
		i.Bearer = strings.TrimPrefix(request.Headers["authorization"], "Bearer ")
	}
	ctx, cancel := p.Context(context.WithValue(context.Background(), invocationKey{}, i), i.Actor)
	defer cancel()
	i.ctx, i.cancel = ctx, cancel
	reply, err := inprocess.Call[Reply](ctx, p.Function, event)
	if i.isGone() {
		w.Notef(i.Actor, "is gone")
		var none Reply
		return none, i, faults.ErrGone
	}
	w.Record(func() { w.idleProcesses[name] = append(w.idleProcesses[name], p) })
	return reply, i, err
}

// acquireProcess takes an idle process, which roll chooses. Like Lambda, it sometimes starts a new process although one
// is idle.
func (w *World) acquireProcess(name string, roll uint64) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	idle, at := w.idleProcesses[name], int(roll%8)
	if at >= len(idle) && at < 7 {
		at = 0
	}
	if at >= len(idle) {
		return w.startProcess(name, roll)
	}
	w.idleProcesses[name] = slices.Concat(idle[:at], idle[at+1:])
	return idle[at]
}
