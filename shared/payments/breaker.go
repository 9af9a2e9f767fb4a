package payments

import "time"

// Breaker is the circuit breaker of one merchant's callbacks to one host: another merchant may send there to a receiver
// that answers. It opens when tries in a row time out. Then one try at a time, the probe, asks at growing intervals.
type Breaker struct {
	TimedOut  int       `dynamo:"timed_out"`  // tries in a row, of an open breaker probes
	OpenUntil time.Time `dynamo:"open_until"` // of an open breaker: the time of the next probe
	Version   int       `dynamo:"version"`    // 0: not stored yet
}

const (
	// BreakerThreshold is the number of a host's slots that one merchant gets (webhook.PerTenant): all of them hung.
	BreakerThreshold = 3
	// firstOpen and longestOpen bound the intervals between probes, each twice the one before.
	firstOpen   = 10 * time.Second
	longestOpen = 5 * time.Minute
	// probeTime is how long a probe may take before another is sent.
	probeTime = 15 * time.Second
)

// Tripped reports whether only probes may pass.
func (b Breaker) Tripped() bool { return b.TimedOut >= BreakerThreshold }

// Open reports whether nothing may pass now, not even a probe.
func (b Breaker) Open(now time.Time) bool { return b.Tripped() && now.Before(b.OpenUntil) }

// ProbeStarted is the breaker when a probe begins.
func (b Breaker) ProbeStarted(now time.Time) Breaker {
	b.OpenUntil = now.Add(probeTime)
	return b
}

// Failed returns the breaker after a try that timed out, unless the try began before it opened.
func (b Breaker) Failed(probe bool, now time.Time) Breaker {
	if b.Tripped() && !probe {
		return b
	}
	b.TimedOut++
	if b.Tripped() {
		b.OpenUntil = now.Add(min(firstOpen<<min(b.TimedOut-BreakerThreshold, 8), longestOpen))
	}
	return b
}

// Succeeded is the breaker after a try that got any answer: closed.
func (b Breaker) Succeeded() Breaker {
	b.TimedOut, b.OpenUntil = 0, time.Time{}
	return b
}
