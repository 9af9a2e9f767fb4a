// Package clock is a clock for tests: it stands still until somebody moves it.
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

// Start is when New's clocks begin.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// New is a clock that stands at Start.
func New() *Clock { return &Clock{now: Start} }

// Now is the clock's time.
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
