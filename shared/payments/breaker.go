package payments

import "time"

// Breaker is the circuit breaker for one merchant's callbacks to one host. Other merchants have separate breakers,
// because their receivers at the same host may still answer. A breaker opens when several tries in a row time out. Then
// only one try at a time passes, as a probe, and the intervals between probes grow.
type Breaker struct {
	TimedOut  int       `dynamo:"timed_out"`  // timeouts in a row; while open, only of probes
	OpenUntil time.Time `dynamo:"open_until"` // time of an open breaker's next probe
	Version   int       `dynamo:"version"`    // 0: not stored yet
}

const (
	// BreakerThreshold is the number of slots that one merchant has at a host (webhook.PerTenant). So when the breaker
	// opens, all these slots have hung.
	BreakerThreshold = 3
	// firstOpen and longestOpen bound the intervals between probes. Each interval is twice the one before.
	firstOpen   = 10 * time.Second
	longestOpen = 5 * time.Minute
	// probeTime is the time that a probe has. If the probe has no result by then, another probe may be sent.
	probeTime = 15 * time.Second
)

// Tripped returns true if only probes may pass.
func (b Breaker) Tripped() bool { return b.TimedOut >= BreakerThreshold }

// Open returns true if nothing may pass now, not even a probe.
func (b Breaker) Open(now time.Time) bool { return b.Tripped() && now.Before(b.OpenUntil) }

// ProbeStarted returns the breaker after a probe has begun.
func (b Breaker) ProbeStarted(now time.Time) Breaker {
	b.OpenUntil = now.Add(probeTime)
	return b
}

// Failed returns the breaker after a try that timed out. If the breaker is open and the try was not a probe, the
// breaker stays unchanged, because such a try began before the breaker opened.
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

// Succeeded returns the breaker as closed. It is called after a try that got any answer.
func (b Breaker) Succeeded() Breaker {
	b.TimedOut, b.OpenUntil = 0, time.Time{}
	return b
}
