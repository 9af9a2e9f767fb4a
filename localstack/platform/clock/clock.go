// Package clock provides two clocks. Clock is for tests, moves only by Advance, and is made by New. Ahead is the local
// platform's clock, and is made by NewAhead.
package clock

import (
	"sync"
	"time"
)

// Clock is a clock that moves only by Advance. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Start is the initial time of New's clocks.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// New returns a clock at Start.
func New() *Clock { return &Clock{now: Start} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
