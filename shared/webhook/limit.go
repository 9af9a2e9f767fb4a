package webhook

import (
	"context"
	"sync"
)

// perHost is how many deliveries run at a time to one host (contract §11.3).
const perHost = 4

// hostLimit hands out perHost slots for each host, and forgets a host when nobody
// holds or awaits a slot, so that it never outgrows the work in flight.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

type hostSlots struct {
	taken chan struct{}
	users int // holding or waiting; guarded by hostLimit.mu
}

// acquire waits for a slot and returns the function that gives it back, or the
// context's error.
func (l *hostLimit) acquire(ctx context.Context, host string) (release func(), err error) {
	slots := l.enter(host)
	select {
	case slots.taken <- struct{}{}:
		return func() { <-slots.taken; l.leave(host, slots) }, nil
	case <-ctx.Done():
		l.leave(host, slots)
		return nil, ctx.Err()
	}
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
