package simulator

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// call is one I/O, or another step that waits for its turn.
type call struct {
	kind     kind
	actor    string
	label    string // describes the content: parked calls are sorted by label, never by arrival
	ctx      context.Context
	turn     chan turn
	hung     bool
	targeted bool // a write that carries the condition of Mutation.Without
}

// turn is the scheduler's decision about a call. The callee has no random numbers, so roll decides its choices.
type turn struct {
	Fault faults.Fault
	roll  uint64
	late  bool // the caller's time was up before its turn came
}

func compareCalls(a, b *call) int {
	return cmp.Or(cmp.Compare(a.actor, b.actor), cmp.Compare(a.kind, b.kind), cmp.Compare(a.label, b.label))
}

// scheduler decides whose turn is next. Only the root goroutine uses the fields other than parked, active and stopped.
type scheduler struct {
	mu     sync.Mutex
	parked []*call
	active map[string]int // number of goroutines, by group

	stopped   bool // no call gets a turn any more
	steps     atomic.Int64
	last      string // actor of the last turn
	idleWaits int    // idle waits in a row
}

// Park adds a call to the parked calls, and waits until the call gets its turn.
func (w *World) Park(k kind, ctx context.Context, actor, label string) turn {
	return w.await(&call{kind: k, actor: actor, label: label, ctx: ctx})
}

// Think lets other actors go first.
func (w *World) Think(actor string) { w.Park(move, nil, actor, "thinks") }

func (w *World) await(c *call) turn {
	c.turn = make(chan turn)
	w.sched.mu.Lock()
	if w.sched.stopped {
		w.sched.mu.Unlock()
		runtime.Goexit()
	}
	w.sched.parked = append(w.sched.parked, c)
	w.sched.mu.Unlock()
	v, ok := <-c.turn
	if !ok {
		runtime.Goexit()
	}
	return v
}

// Go starts a goroutine of a group. Steer waits for its end.
func (w *World) Go(group string, f func()) {
	count := func(change int) {
		w.sched.mu.Lock()
		defer w.sched.mu.Unlock()
		w.sched.active[group] += change
	}
	count(1)
	go func() {
		defer count(-1)
		f()
	}()
}

func (w *World) countActive(groups ...string) int {
	w.sched.mu.Lock()
	defer w.sched.mu.Unlock()
	n := 0
	for _, g := range groups {
		n += w.sched.active[g]
	}
	return n
}

// Groups of goroutines.
const (
	Clients    = "clients"
	Sources    = "sources"
	Stragglers = "stragglers"
)

const maxSteps = 60_000 // limits a world: an endless loop is a failure, not an endless test

// Steer runs the world until no goroutine of the groups is left.
func (w *World) Steer(groups ...string) {
	for {
		synctest.Wait()
		if w.countActive(groups...) == 0 {
			return
		}
		if w.sched.steps.Add(1) > maxSteps {
			w.stopEndless()
			return
		}
		if w.FaultsOn {
			w.workload.Interfere()
			synctest.Wait() // waits for goroutines that Interfere started
		}
		c := w.takeNext()
		if c == nil {
			w.passIdleTime()
			continue
		}
		w.sched.idleWaits = 0
		w.resume(c)
	}
}

// stopEndless ends a world that runs in circles for lack of a condition. In other worlds it panics and shows the trace.
func (w *World) stopEndless() {
	if w.Without == "" || w.Kept {
		w.Panicf("no end after %d steps", maxSteps)
	}
	w.Find("", "no end after %d steps", maxSteps)
	for w.countActive(Clients, Sources, Stragglers) > 0 {
		w.sched.mu.Lock()
		w.sched.stopped = true
		for _, c := range w.sched.parked {
			close(c.turn)
		}
		w.sched.parked = nil
		w.sched.mu.Unlock()
		w.Pass(time.Second) // for goroutines that sleep between two tries
	}
}

// takeNext removes and returns one of the parked calls. It returns nil while every call waits for time to pass.
func (w *World) takeNext() *call {
	s := &w.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	ready := make([]*call, 0, len(s.parked))
	for _, c := range s.parked {
		if !c.hung || c.ctx.Err() != nil || !w.FaultsOn {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	slices.SortStableFunc(ready, compareCalls)
	ready = w.removeHeld(ready)
	c := w.chooseCall(ready)
	s.parked = slices.DeleteFunc(s.parked, func(p *call) bool { return p == c })
	return c
}

// chooseCall prefers calls whose time is up. Next, with the profile's probability, it prefers the actor that ran last.
func (w *World) chooseCall(ready []*call) *call {
	for _, c := range ready {
		if c.ctx != nil && c.ctx.Err() != nil {
			return c
		}
	}
	if w.FaultProfile.Sticky > 0 && w.RNG.Float64() < w.FaultProfile.Sticky {
		for _, c := range ready {
			if c.actor == w.sched.last {
				return c
			}
		}
	}
	return ready[w.RNG.IntN(len(ready))]
}

// resume decides what happens to a call and gives the call its turn. It lets some time pass first, so that no two
// events have the same time.
func (w *World) resume(c *call) {
	v := turn{roll: w.RNG.Uint64(), late: c.ctx != nil && c.ctx.Err() != nil}
	if w.FaultsOn && !v.late && !c.hung {
		v.Fault = w.FaultProfile.chooseFault(c.kind, w.RNG)
	}
	if c.kind == toHanging && !v.late && !c.hung {
		v.Fault = faults.Hang
	}
	_, bounded := cmp.Or(c.ctx, context.Background()).Deadline()
	if v.Fault == faults.Hang && !bounded {
		v.Fault = faults.FailBefore
	}
	if v.Fault == faults.Hang {
		w.Note(c.actor, c.kind, c.label, "hangs")
		c.hung = true
		w.sched.mu.Lock()
		w.sched.parked = append(w.sched.parked, c)
		w.sched.mu.Unlock()
		return
	}
	if c.hung && !v.late { // the faults are over, so nothing will answer
		v.Fault = faults.FailBefore
	}
	w.sched.last = c.actor
	w.Pass(time.Duration(1+v.roll%2000) * time.Microsecond)
	c.turn <- v
}

// passIdleTime lets time pass until a call is ready. Idle waits in a row double IdleDoublings times, because backoffs
// take milliseconds and time limits take seconds.
func (w *World) passIdleTime() {
	w.sched.idleWaits++
	w.Pass(time.Millisecond << min(w.sched.idleWaits, w.IdleDoublings))
	if w.sched.idleWaits > 1000 {
		w.Panicf("deadlock: %s", w.describeWaiting())
	}
}

// Pass lets fake time pass.
func (w *World) Pass(d time.Duration) { <-time.After(d) }

func (w *World) describeWaiting() string {
	w.sched.mu.Lock()
	defer w.sched.mu.Unlock()
	text := fmt.Sprint(w.sched.active)
	for _, c := range w.sched.parked {
		text += fmt.Sprintf("\n\t%s %v %s", c.actor, c.kind, c.label)
	}
	return text
}
