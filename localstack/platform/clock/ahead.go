package clock

import (
	"sync"
	"time"
)

// Ahead is the system's clock plus an offset. The offset is never negative, and only grows. Ahead is safe for
// concurrent use.
type Ahead struct {
	mu     sync.Mutex
	offset time.Duration
	timers map[*time.Timer]time.Time // with their times on this clock
}

// NewAhead returns a clock with an offset.
func NewAhead(offset time.Duration) *Ahead { return &Ahead{offset: offset} }

// Now returns the clock's time.
func (c *Ahead) Now() time.Time { return time.Now().Add(c.Offset()) }

// Offset returns the clock's offset from the system's clock.
func (c *Ahead) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Advance moves the clock forward and fires the timers that this makes due.
func (c *Ahead) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	now := time.Now().Add(c.offset)
	for timer, due := range c.timers {
		if timer.Stop() {
			timer.Reset(due.Sub(now))
		}
	}
}

// After is like [time.After] on this clock.
func (c *Ahead) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timers == nil {
		c.timers = map[*time.Timer]time.Time{}
	}
	fired := make(chan time.Time, 1)
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, timer)
		fired <- time.Now().Add(c.offset)
	})
	c.timers[timer] = time.Now().Add(c.offset + d)
	return fired
}
