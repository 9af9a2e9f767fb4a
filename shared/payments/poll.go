package payments

import "time"

const (
	// firstPoll is when the acquirer is asked again about what it gave no
	// outcome of. Nobody works on that any more, so there is nobody to wait for.
	firstPoll = 5 * time.Second
	// pollMargin is how much later than the next look the fast path comes. Clocks
	// of several hosts differ a little, and a message that finds it is too early
	// is lost.
	pollMargin = time.Second
	// longestPollGap is the widest gap between two questions to the acquirer.
	longestPollGap = 15 * time.Minute
)

// nextPoll is the first time after now to ask the acquirer about what began at
// some time: after a first gap, then at gaps each twice the one before. These
// times are fixed, as those of a callback's tries are: a question that comes
// late, or one that nobody planned, postpones none of the others.
func nextPoll(began time.Time, first time.Duration, now time.Time) time.Time {
	gap := first
	at := began.Add(gap)
	for !at.After(now) {
		gap = min(2*gap, longestPollGap)
		at = at.Add(gap)
	}
	return at
}

// wakeAt is when the sweep looks at what is open. An unknown outcome has a fast
// path, by which the acquirer is asked first.
func wakeAt(nextLook, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return nextLook
	}
	return nextLook.Add(fastPathGrace)
}

// pollAt is when the fast path asks; the zero time: never. Only an outcome that
// is known to be unknown has one: while a request may still be at work there is
// nothing to ask, and a payer takes their time.
func pollAt(nextLook, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return time.Time{}
	}
	return nextLook.Add(pollMargin)
}
