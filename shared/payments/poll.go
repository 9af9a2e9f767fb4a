package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
)

const (
	// firstPoll is how soon the acquirer is polled after no outcome: no function works on the charge any more.
	firstPoll = 5 * time.Second
	// pollMargin delays the fast path after the next poll: clocks differ, and messages that arrive early are dropped.
	pollMargin = time.Second
	// longestPollGap is the longest gap between two polls.
	longestPollGap = 15 * time.Minute
)

// nextPoll returns the first time after now to poll the acquirer about something that began at a time: after a first
// gap, then at gaps each twice the one before. These times are fixed, so a late or unplanned poll postpones no other.
func nextPoll(began time.Time, first time.Duration, now time.Time) time.Time {
	gap := first
	at := began.Add(gap)
	for !at.After(now) {
		gap = min(2*gap, longestPollGap)
		at = at.Add(gap)
	}
	return at
}

// wakeAt returns when the sweep polls. For an unknown outcome the fast path polls first.
func wakeAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return next
	}
	return next.Add(outbox.Grace)
}

// pollAt returns when the fast path polls; zero unless an outcome is recorded as unknown. Before that a request may
// still run, so that there is nothing to ask, and a payer who must act takes time.
func pollAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return time.Time{}
	}
	return next.Add(pollMargin)
}
