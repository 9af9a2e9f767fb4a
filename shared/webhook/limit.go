package webhook

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// perHost bounds the deliveries to one host that run at a time (contract §11.3).
	perHost = 4
	// PerTenant bounds one tenant's share of them, so that a receiver that hangs leaves a slot to others at the host.
	PerTenant = 3
	// maxIdle bounds the wait for a slot while the host frees none. A longer wait for a host that does not answer would
	// delay other hosts' deliveries.
	maxIdle = 250 * time.Millisecond
	// maxSlotWait bounds the whole wait. While the host keeps freeing slots, a burst is sent bit by bit instead of being
	// postponed.
	maxSlotWait = 2 * time.Second
)

// hostLimit grants the slots of each host, regardless of the port. It deletes a host without held or awaited slots, so
// that its map does not grow.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

// hostSlots are the slots of a host. hostLimit.mu guards them.
type hostSlots struct {
	holders []string // a tenant for each held slot
	waiters []*slotWaiter
	freed   time.Time // when the last slot was freed
}

type slotWaiter struct {
	tenant  string
	since   time.Time
	granted chan struct{} // closed once the waiter holds a slot
}

func (s *hostSlots) hasFree(tenant string) bool {
	taken := 0
	for _, holder := range s.holders {
		if holder == tenant {
			taken++
		}
	}
	return len(s.holders) < perHost && taken < PerTenant
}

// acquire takes a slot for a tenant's delivery, and returns the function that releases it. It waits while the host
// frees slots. Errors: ErrBusy, or the context's.
func (l *hostLimit) acquire(ctx context.Context, host, tenant string) (release func(), err error) {
	w := l.addWaiter(host, tenant)
	if err := l.await(ctx, host, w); err != nil && l.removeWaiter(host, w) {
		return nil, err
	}
	return func() { l.release(host, tenant) }, nil // a slot may have been granted just before removeWaiter
}

// await returns nil once the waiter has a slot, or the reason to stop waiting.
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
			more := l.remainingWait(host, w)
			if more <= 0 {
				return ErrBusy
			}
			timer.Reset(more)
		}
	}
}

// remainingWait returns how much longer the waiter may wait.
func (l *hostLimit) remainingWait(host string, w *slotWaiter) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := time.Since(l.hosts[host].freed)
	return min(maxIdle-idle, maxSlotWait-time.Since(w.since))
}

func (l *hostLimit) addWaiter(host, tenant string) *slotWaiter {
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

// removeWaiter removes the waiter. It returns false if the waiter has been granted a slot.
func (l *hostLimit) removeWaiter(host string, w *slotWaiter) bool {
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

// grant gives free slots to the longest waiters, and deletes an idle host.
func (l *hostLimit) grant(host string) {
	s := l.hosts[host]
	s.waiters = slices.DeleteFunc(s.waiters, func(w *slotWaiter) bool {
		if !s.hasFree(w.tenant) {
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
