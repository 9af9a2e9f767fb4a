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
	"github.com/cashwrap/cashwrap/shared/identity"
)

// process is one execution environment of a function: it makes one call at a
// time, and what it keeps in memory lasts until it dies.
type process struct {
	name string
	*inprocess.Function
}

// maxSkew is how far a process's clock is off, either way.
const maxSkew = 3 * time.Second

// start makes a process of a function.
func (w *World) start(name string, roll uint64) *process {
	f := w.function(name)
	w.started[name]++
	overrides := w.overrides
	if w.faultProfile.skews {
		skew := time.Duration(roll%uint64(2*maxSkew)) - maxSkew
		overrides.Now = func() time.Time { return w.now().Add(skew) }
	}
	a := app.New(w.config.Only(f.Access().Secrets...), overrides)
	if w.liveCards {
		a.Acquirers[identity.Live] = a.Acquirers[identity.Test]
	}
	started, err := inprocess.New(f, a)
	w.must(err)
	return &process{fmt.Sprintf("%s#%d", name, w.started[name]), started}
}

func (w *World) function(name string) functions.Function {
	for _, f := range functions.All {
		if f.Name == name {
			return f
		}
	}
	panic("sim: no function " + name)
}

// invocation is one call of a function.
type invocation struct {
	actor  string
	name   string   // of the function
	tenant string   // whose data it may touch; "" for any
	claim  string   // its name as the owner of an idempotency key
	tried  []string // summaries of its calls to the table
	bearer string   // the credential of its request
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	dead bool
}

type invocationKey struct{}

func invocationOf(ctx context.Context) *invocation {
	i, _ := ctx.Value(invocationKey{}).(*invocation)
	if i == nil {
		panic("sim: I/O outside an invocation")
	}
	return i
}

// gone says whether the process has died, of a fault or of its time limit.
func (i *invocation) gone() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.dead || i.ctx.Err() != nil
}

func (i *invocation) try(summary string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tried = append(i.tried, summary)
}

func (i *invocation) die() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dead = true
	i.cancel()
}

// invoke sends an event to a function in one of its idle processes, or a new
// one; roll chooses. It returns when nothing of the call is left. Errors:
// faults.ErrGone, or the function's own.
func invoke[Reply, Event any](w *World, caller, name, tenant string, roll uint64, event Event) (Reply, *invocation,
	error) {
	p := w.take(name, roll)
	i := &invocation{actor: caller + " " + p.name, name: name, tenant: tenant}
	if request, ok := any(event).(events.APIGatewayV2HTTPRequest); ok {
		i.bearer = strings.TrimPrefix(request.Headers["authorization"], "Bearer ")
	}
	ctx, cancel := p.Context(context.WithValue(context.Background(), invocationKey{}, i), i.actor)
	defer cancel()
	i.ctx, i.cancel = ctx, cancel
	reply, err := inprocess.Call[Reply](ctx, p.Function, event)
	if i.gone() {
		w.notef(i.actor, "is gone")
		var none Reply
		return none, i, faults.ErrGone
	}
	w.release(name, p)
	return reply, i, err
}

// take finds an idle process by the roll. Now and then a new one starts
// although another is idle, as Lambda's do.
func (w *World) take(name string, roll uint64) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	idle, at := w.idleProcesses[name], int(roll%8)
	if at >= len(idle) && at < 7 {
		at = 0
	}
	if at >= len(idle) {
		return w.start(name, roll)
	}
	w.idleProcesses[name] = slices.Concat(idle[:at], idle[at+1:])
	return idle[at]
}

func (w *World) release(name string, p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idleProcesses[name] = append(w.idleProcesses[name], p)
}
