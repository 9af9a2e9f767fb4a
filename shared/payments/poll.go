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

// Changes returns false if recording the outcome of the open attempt would change nothing, because the next poll is
// scheduled, and either the payer has still not acted, or the outcome is still unknown. It also returns false for an
// unknown outcome while the request that began the attempt may still run.
func (c Checkout) Changes(o Outcome, now time.Time) bool {
	a := c.Attempt
	if !now.Before(a.NextPoll) {
		return true
	}
	switch o.Decision {
	case OutcomeUnknown:
		return a.State == AttemptRequiresAction && (a.UnknownSince.IsZero() || !c.isRecorded())
	case Challenge, Voucher:
		return a.State != AttemptRequiresAction || !a.UnknownSince.IsZero()
	default:
		return true
	}
}

// Changes returns false if recording the outcome of the refund would change nothing, because the next poll is scheduled
// and the outcome is still unknown.
func (e Event) Changes(o Outcome, now time.Time) bool {
	return o.Decision != OutcomeUnknown || e.UnknownSince.IsZero() || !now.Before(e.NextPoll)
}

// MayStillRun returns true while the request that began the refund may still run, and may withdraw the refund.
func (e Event) MayStillRun(now time.Time) bool {
	return e.Status == EventBegun && now.Before(e.NextPoll)
}
