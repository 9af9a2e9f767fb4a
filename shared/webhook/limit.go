package webhook

import (
	"context"
	"sync"
	"time"
)

const (
	// perHost is how many deliveries run at a time to one host (contract §11.3).
	perHost = 4
	// maxSlotWait is how long a delivery waits for a slot. A host that answers
	// frees one within this time; to wait longer for one that does not would hold
	// up whoever delivers to others.
	maxSlotWait = 250 * time.Millisecond
)

// hostLimit hands out perHost slots for each host, whatever the port, and forgets
// a host when nobody holds or awaits a slot, so that it never outgrows the work in
// flight.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

type hostSlots struct {
	taken chan struct{}
	users int // holding or waiting; guarded by hostLimit.mu
}

// acquire takes a slot, waiting at most maxSlotWait, and returns the function that
// gives it back. Errors: ErrBusy, or the context's.
func (l *hostLimit) acquire(ctx context.Context, host string) (release func(), err error) {
	slots := l.enter(host)
	timer := time.NewTimer(maxSlotWait)
	defer timer.Stop()
	select {
	case slots.taken <- struct{}{}:
		return func() { <-slots.taken; l.leave(host, slots) }, nil
	case <-timer.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.leave(host, slots)
	return nil, err
}

func (l *hostLimit) enter(host string) *hostSlots {
	l.mu.Lock()
	defer l.mu.Unlock()
	slots, ok := l.hosts[host]
	if !ok {
		slots = &hostSlots{taken: make(chan struct{}, perHost)}
		if l.hosts == nil {
			l.hosts = map[string]*hostSlots{}
		}
		l.hosts[host] = slots
	}
	slots.users++
	return slots
}

func (l *hostLimit) leave(host string, slots *hostSlots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slots.users--; slots.users == 0 {
		delete(l.hosts, host)
	}
}
