package stripe

import (
	"errors"
	"sync"
	"time"
)

const (
	// breakerThreshold is the number of timeouts in a row that opens the breaker.
	breakerThreshold = 5
	// breakerTime is the time after which an open breaker lets one charge pass as a probe.
	breakerTime = 10 * time.Second
)

// errBusy reports that the breaker is open.
var errBusy = errors.New("stripe: several requests in a row had no answer")

// breaker refuses new charges while Stripe does not answer, so that each payer need not wait for a timeout. Each
// process has its own breaker. The zero value is closed.
type breaker struct {
	mu       sync.Mutex
	timeouts int       // in a row
	probeAt  time.Time // of an open breaker
}

// admits returns true if a new charge may begin.
func (b *breaker) admits(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timeouts < breakerThreshold {
		return true
	}
	if now.Before(b.probeAt) {
		return false
	}
	b.probeAt = now.Add(breakerTime)
	return true
}

// record counts a call that timed out. Any answer closes the breaker. Other errors change nothing.
func (b *breaker) record(err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		b.timeouts = 0
	case errors.As(err, &timeout) && timeout.Timeout():
		if b.timeouts++; b.timeouts >= breakerThreshold {
			b.probeAt = now.Add(breakerTime)
		}
	}
}
