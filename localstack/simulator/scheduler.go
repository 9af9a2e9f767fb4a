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
	label    string // of the content: parked calls are ordered by it, never by arrival
	ctx      context.Context
	turn     chan turn
	hung     bool
	targeted bool // a write that carries the condition of Mutation.Without
}

// turn is the scheduler's decision. roll is for choices of the receiver, which has no random numbers.
type turn struct {
	Fault faults.Fault
	roll  uint64
	late  bool // the caller's time was up before its turn came
}

func compareCalls(a, b *call) int {
	return cmp.Or(cmp.Compare(a.actor, b.actor), cmp.Compare(a.kind, b.kind), cmp.Compare(a.label, b.label))
}

// scheduler decides whose turn it is. Its fields but parked, active and over are the root goroutine's.
type scheduler struct {
	mu     sync.Mutex
	parked []*call
	active map[string]int // goroutines of clients and sources, by what they are

	over   bool // there are no turns any more
	steps  atomic.Int64
	last   string // actor of the last turn
	waited int    // idle waits in a row
}

// Park makes a call and waits for its turn.
func (w *World) Park(k kind, ctx context.Context, actor, label string) turn {
	return w.await(&call{kind: k, actor: actor, label: label, ctx: ctx})
}

// Think lets others go first.
func (w *World) Think(actor string) { w.Park(move, nil, actor, "thinks") }

func (w *World) await(c *call) turn {
	c.turn = make(chan turn)
	w.sched.mu.Lock()
	if w.sched.over {
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

// Go starts a goroutine whose end the world waits for. Groups: clients, sources, stragglers.
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

func (w *World) active(groups ...string) int {
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

const maxSteps = 20_000 // a loop somewhere is a failure, not an endless test

// Steer runs the world until no goroutine of the groups is left.
func (w *World) Steer(groups ...string) {
	for {
		synctest.Wait()
		if w.active(groups...) == 0 {
			return
		}
		if w.sched.steps.Add(1) > maxSteps {
			w.stopEndless()
			return
		}
		if w.FaultsOn {
			w.workload.Interfere()
			synctest.Wait() // for goroutines that it started
		}
		c := w.next()
		if c == nil {
			w.idle()
			continue
		}
		w.sched.waited = 0
		w.resume(c)
	}
}

// stopEndless ends a world that runs in circles, as a missing condition can cause; else the trace must be seen.
func (w *World) stopEndless() {
	if w.Without == "" || w.Kept {
		w.Panicf("no end after %d steps", maxSteps)
	}
	w.Find("", "no end after %d steps", maxSteps)
	for w.active(Clients, Sources, Stragglers) > 0 {
		w.sched.mu.Lock()
		w.sched.over = true
		for _, c := range w.sched.parked {
			close(c.turn)
		}
		w.sched.parked = nil
		w.sched.mu.Unlock()
		w.Pass(time.Second) // for who is asleep between two tries
	}
}

// next takes one of the parked calls; nil when all of them wait for time.
func (w *World) next() *call {
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
	ready = w.withoutHeld(ready)
	c := w.choose(ready)
	s.parked = slices.DeleteFunc(s.parked, func(p *call) bool { return p == c })
	return c
}

// choose prefers calls whose time is up, then, with the profile's probability, the actor that ran last.
func (w *World) choose(ready []*call) *call {
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

// resume decides what happens to a call and gives it its turn. Time passes first: no two things happen at once.
func (w *World) resume(c *call) {
	v := turn{roll: w.RNG.Uint64(), late: c.ctx != nil && c.ctx.Err() != nil}
	if w.FaultsOn && !v.late && !c.hung {
		v.Fault = w.FaultProfile.choose(c.kind, w.RNG)
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
	if c.hung && !v.late { // the faults are over; what it was waiting for is gone
		v.Fault = faults.FailBefore
	}
	w.sched.last = c.actor
	w.Pass(time.Duration(1+v.roll%2000) * time.Microsecond)
	c.turn <- v
}

// idle lets time pass until a call is ready: ever longer, as backoffs take milliseconds and time limits seconds.
func (w *World) idle() {
	w.sched.waited++
	w.Pass(time.Millisecond << min(w.sched.waited, w.IdleDoublings))
	if w.sched.waited > 1000 {
		w.Panicf("deadlock: %s", w.waiting())
	}
}

// Pass lets fake time pass.
func (w *World) Pass(d time.Duration) { <-time.After(d) }

func (w *World) waiting() string {
	w.sched.mu.Lock()
	defer w.sched.mu.Unlock()
	text := fmt.Sprint(w.sched.active)
	for _, c := range w.sched.parked {
		text += fmt.Sprintf("\n\t%s %v %s", c.actor, c.kind, c.label)
	}
	return text
}
