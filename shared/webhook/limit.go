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
	// perOwner is how many of them may be one merchant's: whoever hangs at a host
	// leaves a slot to others that send there.
	perOwner = 3
	// maxSilence is how long a delivery waits for a slot while the host frees none.
	// To wait longer for one that does not answer would hold up whoever delivers to
	// others.
	maxSilence = 250 * time.Millisecond
	// maxSlotWait is how long it waits in all. One that answers gets a burst of its
	// deliveries one after another; they need not go back.
	maxSlotWait = 2 * time.Second
)

// hostLimit hands out the slots of each host, whatever the port, and forgets a host
// when nobody holds or awaits one, so that it never outgrows the work in flight.
type hostLimit struct {
	mu    sync.Mutex
	hosts map[string]*hostSlots
}

// hostSlots are the slots of a host; hostLimit.mu guards them.
type hostSlots struct {
	holders []string // an owner for each slot taken
	waiters []*slotWaiter
	freed   time.Time // when the last one was
}

type slotWaiter struct {
	owner   string
	since   time.Time
	granted chan struct{} // closed once it holds a slot
}

func (s *hostSlots) free(owner string) bool {
	held := 0
	for _, holder := range s.holders {
		if holder == owner {
			held++
		}
	}
	return len(s.holders) < perHost && held < perOwner
}

// acquire takes a slot for the owner of a delivery, waiting as long as the host frees
// some, and returns the function that gives it back. Errors: ErrBusy, or the context's.
func (l *hostLimit) acquire(ctx context.Context, host, owner string) (release func(), err error) {
	w := l.enter(host, owner)
	patience := time.NewTimer(maxSilence)
	defer patience.Stop()
	for err == nil {
		select {
		case <-w.granted:
			return func() { l.release(host, owner) }, nil
		case <-patience.C:
			more := l.patience(host, w)
			if more <= 0 {
				err = ErrBusy
			}
			patience.Reset(more)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if l.leave(host, w) {
		return nil, err
	}
	return func() { l.release(host, owner) }, nil // granted at the last moment
}

// patience is how much longer it is worth waiting.
func (l *hostLimit) patience(host string, w *slotWaiter) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	silent := time.Since(l.hosts[host].freed)
	return min(maxSilence-silent, maxSlotWait-time.Since(w.since))
}

func (l *hostLimit) enter(host, owner string) *slotWaiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[string]*hostSlots{}
	}
	if l.hosts[host] == nil {
		l.hosts[host] = &hostSlots{}
	}
	w := &slotWaiter{owner: owner, since: time.Now(), granted: make(chan struct{})}
	l.hosts[host].waiters = append(l.hosts[host].waiters, w)
	l.grant(host)
	return w
}

// leave gives up waiting; false when a slot has been granted.
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

func (l *hostLimit) release(host, owner string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.hosts[host]
	at := slices.Index(s.holders, owner)
	s.holders, s.freed = slices.Delete(s.holders, at, at+1), time.Now()
	l.grant(host)
}

// grant gives free slots to those that have waited longest, and forgets an idle host.
func (l *hostLimit) grant(host string) {
	s := l.hosts[host]
	s.waiters = slices.DeleteFunc(s.waiters, func(w *slotWaiter) bool {
		if !s.free(w.owner) {
			return false
		}
		s.holders = append(s.holders, w.owner)
		close(w.granted)
		return true
	})
	if len(s.holders)+len(s.waiters) == 0 {
		delete(l.hosts, host)
	}
}
