package store

import (
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Oldest finds, for each mode, the time when the longest overdue entry became due. A walk reads entries in order of
// time, so entries that the walk did not reach became due later. Oldest is safe for concurrent use.
type Oldest struct {
	mu    sync.Mutex
	since map[identity.Mode]time.Time
}

// Note takes an entry into account. An entry of a callback does not name its mode, and counts as live.
func (o *Oldest) Note(due Due) {
	mode := identity.Live
	if due.Tenant.Mode == identity.Test {
		mode = identity.Test
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = map[identity.Mode]time.Time{}
	}
	if known, ok := o.since[mode]; !ok || due.At.Before(known) {
		o.since[mode] = due.At
	}
}

// Age returns how long the oldest entry of a mode has been due, or 0 if no entry was due.
func (o *Oldest) Age(mode identity.Mode, now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, ok := o.since[mode]
	if !ok {
		return 0
	}
	return now.Sub(since)
}
