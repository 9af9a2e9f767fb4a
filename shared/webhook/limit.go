package webhook

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// perHost bounds the deliveries that run to one host at a time (contract §11.3).
	perHost = 4
	// PerTenant bounds one tenant's share of a host's slots. So if one tenant's receiver hangs, a slot is left to other
	// tenants at the host.
	PerTenant = 3
	// maxIdle bounds the wait for a slot while the host frees no slot. If the host does not answer, a longer wait would
	// delay the deliveries to other hosts.
	maxIdle = 250 * time.Millisecond
	// maxSlotWait bounds the whole wait for a slot. While the host keeps freeing slots, the deliveries of a burst are sent
	// little by little instead of being postponed.
	maxSlotWait = 2 * time.Second
)

// hostLimit grants the slots of each host, regardless of the port. It deletes a host without held slots and without
// waiters, so that its map does not grow.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

// hostSlots are the slots of a host. hostLimit.mu guards them.
type hostSlots struct {
	holders []string // the tenant of each held slot
	waiters []*slotWaiter
	freed   time.Time // time when the last slot was freed
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

// acquire takes a slot for a tenant's delivery, and returns the function that releases the slot. It waits while the
// host keeps freeing slots, but not longer than maxSlotWait. Errors: ErrBusy, or the context's error.
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

// remainingWait returns how much longer the waiter may wait for a slot.
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

// removeWaiter removes the waiter. It returns false if a slot was already granted to the waiter.
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

// grant gives free slots to the waiters that have waited longest. If the host is idle, grant deletes it.
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
