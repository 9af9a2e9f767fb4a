package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
)

const (
	// firstPoll is the time from UnknownSince to the first poll of an attempt or refund whose outcome is unknown.
	firstPoll = 5 * time.Second
	// pollMargin delays the message for a poll, because clocks differ and messages that arrive early are dropped.
	pollMargin = time.Second
	// longestPollGap is the longest gap between two polls.
	longestPollGap = 15 * time.Minute
)

// nextPoll returns the first poll after now of a charge or refund that began at the given time. Each gap is twice as
// long as the gap before, up to longestPollGap. The times are fixed, so a late or unplanned poll does not move any
// other poll.
func nextPoll(began time.Time, first time.Duration, now time.Time) time.Time {
	gap := first
	at := began.Add(gap)
	for !at.After(now) {
		gap = min(2*gap, longestPollGap)
		at = at.Add(gap)
	}
	return at
}

// sweepAt returns the time for the sweep to poll. If the outcome is unknown, the sweep leaves the first try to the fast
// path, and polls after outbox.Grace.
func sweepAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return next
	}
	return next.Add(outbox.Grace)
}

// pollAt returns the time for the fast path to poll. It returns the zero time if the outcome is not recorded as
// unknown. Then either a request may still run, so there is nothing to ask, or the payer must act, which takes time.
func pollAt(next, unknownSince time.Time) time.Time {
	if unknownSince.IsZero() {
		return time.Time{}
	}
	return next.Add(pollMargin)
}
