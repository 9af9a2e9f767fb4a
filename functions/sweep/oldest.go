package sweep

import (
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// oldest is since when the oldest entry of each mode has been due, of those that a
// tick has read. The walk goes by time, so what it did not reach is not as old. An
// entry of a callback does not name its mode: it counts as live.
type oldest struct {
	mu    sync.Mutex
	since map[identity.Mode]time.Time
}

func (o *oldest) note(due store.Due) {
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

// age is how long that entry has been due; 0 when none was.
func (o *oldest) age(mode identity.Mode, now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, ok := o.since[mode]
	if !ok {
		return 0
	}
	return now.Sub(since)
}
