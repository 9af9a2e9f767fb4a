// Package clock has the clocks of tests, which move only when advanced, and of the local platform (Ahead).
package clock

import (
	"sync"
	"time"
)

// Clock is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Start is the first time of New's clocks.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// New returns a clock at Start.
func New() *Clock { return &Clock{now: Start} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
