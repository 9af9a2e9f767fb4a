package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
)

const (
	// firstPoll is how soon the acquirer is polled after it gave no outcome. No
	// function works on the charge any more, so there is nothing to wait for.
	firstPoll = 5 * time.Second
	// pollMargin is how much later than the next poll the fast path starts it.
	// Clocks of several hosts differ a little, and a message that arrives too
	// early is dropped.
	pollMargin = time.Second
	// longestPollGap is the longest gap between two polls.
	longestPollGap = 15 * time.Minute
)

// nextPoll is the first time after now to poll the acquirer about something that
// began at a time: after a first gap, then at gaps each twice the one before.
// These times are fixed, as those of a callback's tries are: a poll that comes
// late, or one that was not planned, does not postpone the others.
func nextPoll(began time.Time, first time.Duration, now time.Time) time.Time {
	gap := first
	at := began.Add(gap)
	for !at.After(now) {
		gap = min(2*gap, longestPollGap)
		at = at.Add(gap)
	}
	return at
}

// wakeAt is when the sweep polls. For an unknown outcome the fast path polls
// first.
func wakeAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return next
	}
	return next.Add(outbox.Grace)
}

// pollAt is when the fast path polls; the zero time means never. Only an outcome
// that is recorded as unknown has one: while a request may still be running there
// is nothing to ask, and while the payer must act they take their time.
func pollAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return time.Time{}
	}
	return next.Add(pollMargin)
}
