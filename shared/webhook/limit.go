package webhook

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// perHost is how many deliveries run at a time to one host (contract §11.3).
	perHost = 4
	// PerTenant is how many of them may be one tenant's, so that a receiver that
	// hangs leaves a slot to others at the host.
	PerTenant = 3
	// maxIdle is how long a delivery waits for a slot while the host frees none.
	// Waiting longer for a host that does not answer would delay other hosts'.
	maxIdle = 250 * time.Millisecond
	// maxSlotWait bounds the whole wait. While the host keeps freeing slots, a burst
	// is sent bit by bit instead of being postponed.
	maxSlotWait = 2 * time.Second
)

// hostLimit grants the slots of each host, whatever the port. It deletes a host when
// none of its slots is held or awaited, so that it does not grow.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

// hostSlots are the slots of a host; hostLimit.mu guards them.
type hostSlots struct {
	holders []string // a tenant for each slot taken
	waiters []*slotWaiter
	freed   time.Time // when the last one was
}

type slotWaiter struct {
	tenant  string
	since   time.Time
	granted chan struct{} // closed once it holds a slot
}

func (s *hostSlots) free(tenant string) bool {
	taken := 0
	for _, holder := range s.holders {
		if holder == tenant {
			taken++
		}
	}
	return len(s.holders) < perHost && taken < PerTenant
}

// acquire takes a slot for a tenant's delivery, waiting while the host frees some,
// and returns the function that releases it. Errors: ErrBusy, or the context's.
func (l *hostLimit) acquire(ctx context.Context, host, tenant string) (release func(), err error) {
	w := l.enter(host, tenant)
	if err := l.await(ctx, host, w); err != nil && l.leave(host, w) {
		return nil, err
	}
	return func() { l.release(host, tenant) }, nil // it may have been granted just before leave
}

// await returns nil once the waiter has a slot, or why it should stop waiting.
func (l *hostLimit) await(ctx context.Context, host string, w *slotWaiter) error {
	timer := time.NewTimer(maxIdle)
	defer timer.Stop()
	for {
		select {
		case <-w.granted:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			more := l.remaining(host, w)
			if more <= 0 {
				return ErrBusy
			}
			timer.Reset(more)
		}
	}
}

// remaining is how much longer it may wait.
func (l *hostLimit) remaining(host string, w *slotWaiter) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := time.Since(l.hosts[host].freed)
	return min(maxIdle-idle, maxSlotWait-time.Since(w.since))
}

func (l *hostLimit) enter(host, tenant string) *slotWaiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[string]*hostSlots{}
	}
	if l.hosts[host] == nil {
		l.hosts[host] = &hostSlots{}
	}
	w := &slotWaiter{tenant: tenant, since: time.Now(), granted: make(chan struct{})}
	l.hosts[host].waiters = append(l.hosts[host].waiters, w)
	l.grant(host)
	return w
}

// leave stops waiting; it is false if a slot has been granted.
func (l *hostLimit) leave(host string, w *slotWaiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.hosts[host]
	at := slices.Index(s.waiters, w)
	if at < 0 {
		return false
	}
	s.waiters = slices.Delete(s.waiters, at, at+1)
	l.grant(host)
	return true
}

func (l *hostLimit) release(host, tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.hosts[host]
	at := slices.Index(s.holders, tenant)
	s.holders, s.freed = slices.Delete(s.holders, at, at+1), time.Now()
	l.grant(host)
}

// grant gives free slots to those that have waited longest, and deletes an idle host.
func (l *hostLimit) grant(host string) {
	s := l.hosts[host]
	s.waiters = slices.DeleteFunc(s.waiters, func(w *slotWaiter) bool {
		if !s.free(w.tenant) {
			return false
		}
		s.holders = append(s.holders, w.tenant)
		close(w.granted)
		return true
	})
	if len(s.holders)+len(s.waiters) == 0 {
		delete(l.hosts, host)
	}
}
