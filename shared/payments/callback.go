package payments

import (
	"fmt"
	"hash/fnv"
	"time"
)

// EventCheckoutStatusChanged is the only event a checkout's return_url gets.
const EventCheckoutStatusChanged = "CHECKOUT_STATUS_CHANGED"

// Callback is one message to be delivered to a return_url. It is written in the
// same transaction as the status change it reports.
type Callback struct {
	ID             string         `dynamo:"id"` // msg_<uuid>, the webhook-id of every try
	EventType      string         `dynamo:"event_type"`
	CheckoutID     string         `dynamo:"checkout_id"`
	URL            string         `dynamo:"url"`
	Status         CheckoutStatus `dynamo:"status"` // reported on, for people; the body does not carry it
	CreatedAt      time.Time      `dynamo:"created_at"`
	Tries          int            `dynamo:"tries"`
	FirstFailedAt  *time.Time     `dynamo:"first_failed_at,omitempty"`
	NextAt         time.Time      `dynamo:"next_at"`                   // of the next try
	UpdatedAt      time.Time      `dynamo:"updated_at"`                // when NextAt was set
	Sweeps         int            `dynamo:"sweeps,omitempty"`          // how often the sweep has sent the next try
	SweptAt        time.Time      `dynamo:"swept_at,omitempty"`        // when it last did
	Postponements  int            `dynamo:"postponements,omitempty"`   // of the next try
	PostponedSince time.Time      `dynamo:"postponed_since,omitempty"` // when it first was
	State          string         `dynamo:"state"`
	LastError      string         `dynamo:"last_error,omitempty"`
}

// States of a callback.
const (
	CallbackPending   = "owed"
	CallbackDelivered = "delivered"
	CallbackDead      = "dead"
)

const (
	// fastPath is the longest wait a queue can hold a message for (SQS: 900 s).
	fastPath = 15 * time.Minute
	// fastPathGrace is how long the fast path (table stream, queue) has
	// before the sweep sends a callback, or asks the acquirer, itself.
	fastPathGrace = time.Minute
	// firstResend and longestResend bound the gaps, each twice the one
	// before, between the messages the sweep sends for one try. A queue that
	// is slow for a day thus holds some 30 messages for it, not 1,440.
	firstResend   = 5 * time.Minute
	longestResend = time.Hour
	// firstPostponement and longestPostponement bound the time by which a try is
	// postponed, which doubles each time, so that many that wait for one host do
	// not spin.
	firstPostponement   = 2 * time.Second
	longestPostponement = 64 * time.Second
	// maxPostponed is how long an open breaker may postpone a try in all: as long
	// as the longest gap between two tries. So each of them is made, and comes to
	// an end, though the host never answers.
	maxPostponed = retryEvery
	// earliness is how far clocks and queues may bring a try forward.
	earliness = 5 * time.Second
)

// IsDue reports whether the callback is still to be delivered and the time of
// its next try has come, or comes within a few seconds.
func (c Callback) IsDue(now time.Time) bool {
	return c.State == CallbackPending && !now.Before(c.NextAt.Add(-earliness))
}

// TryAt is when the fast path makes the next try; the zero time means never. It
// must not send what the sweep has sent.
func (c Callback) TryAt() time.Time {
	if c.State != CallbackPending || c.Sweeps > 0 {
		return time.Time{}
	}
	return c.NextAt
}

// QueueDelay is how long the fast path must delay a message that is due at a
// time. It is false when a queue cannot delay it so long, and the sweep sends it.
func QueueDelay(at, now time.Time) (time.Duration, bool) {
	delay := at.Sub(now)
	return max(delay, 0), delay <= fastPath
}

// SweepAt is when the sweep sends the next try if it has not been made: first
// after the fast path's grace, then at growing gaps, because a message it sent
// may still wait in a slow queue.
func (c Callback) SweepAt() time.Time {
	if c.Sweeps > 0 {
		return c.SweptAt.Add(min(firstResend<<min(c.Sweeps-1, 8), longestResend))
	}
	if _, fast := QueueDelay(c.NextAt, c.UpdatedAt); fast {
		return c.NextAt.Add(fastPathGrace)
	}
	return c.NextAt
}

// Overdue reports whether the sweep must send the next try.
func (c Callback) Overdue(now time.Time) bool {
	return c.State == CallbackPending && !now.Before(c.SweepAt())
}

// Lost reports whether the stream or the queue should have started a try that is
// overdue. A try further ahead than a queue can delay a message is the sweep's.
func (c Callback) Lost() bool {
	_, fast := QueueDelay(c.NextAt, c.UpdatedAt)
	return fast || c.Sweeps > 0
}

// Swept is the callback after the sweep has sent its next try.
func (c Callback) Swept(now time.Time) Callback {
	c.Sweeps, c.SweptAt = c.Sweeps+1, now
	return c
}

// unswept forgets the messages of a try that has been made, or will be at
// another time.
func (c Callback) unswept() Callback {
	c.Sweeps, c.SweptAt = 0, time.Time{}
	return c
}

// Postponed is the callback when its next try, which is due, cannot be made now:
// due again after a while, and not before a time. No try is counted, so the
// published times of the next ones stay.
func (c Callback) Postponed(earliest, now time.Time) Callback {
	c = c.unswept()
	wait := max(earliest.Sub(now), min(firstPostponement<<min(c.Postponements, 8), longestPostponement))
	if c.Postponements++; c.PostponedSince.IsZero() {
		c.PostponedSince = now
	}
	c.NextAt, c.UpdatedAt = now.Add(wait+c.jitter(wait/2)), now
	return c
}

// jitter is a time up to the limit, another for each callback and postponement:
// those that were postponed together do not come back together.
func (c Callback) jitter(limit time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, c.ID, c.Postponements) // never fails
	return limit * time.Duration(hash.Sum32()%1000) / 1000
}

// PostponedTooLong reports whether the next try must be made even if its host's
// breaker is open.
func (c Callback) PostponedTooLong(now time.Time) bool {
	return !c.PostponedSince.IsZero() && !now.Before(c.PostponedSince.Add(maxPostponed))
}

// unpostponed forgets the postponements of a try that has been made.
func (c Callback) unpostponed() Callback {
	c.Postponements, c.PostponedSince = 0, time.Time{}
	return c
}

// earlyRetries are the published delays after the first failed try; after
// them one try every retryEvery until giveUpAfter (contract §11.3).
var earlyRetries = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, 2 * time.Hour}

const (
	retryEvery  = 12 * time.Hour
	giveUpAfter = 72 * time.Hour
)

// newCallback reports a checkout's new status, or nothing without a return_url.
func newCallback(c Checkout, id string, now time.Time) *Callback {
	if c.ReturnURL == "" {
		return nil
	}
	return &Callback{ID: id, EventType: EventCheckoutStatusChanged, CheckoutID: c.ID, URL: c.ReturnURL,
		Status: c.Status, CreatedAt: now, NextAt: now, UpdatedAt: now, State: CallbackPending}
}

// Delivered is the callback after any 2xx.
func (c Callback) Delivered() Callback {
	c = c.unpostponed()
	c.State, c.Tries, c.LastError = CallbackDelivered, c.Tries+1, ""
	return c
}

// Undelivered is the callback after a failed try: due again by the published
// times, or dead once three days have passed since the first failure.
//
// A try that was made a moment early counts as made at its time; else the
// next one would be at that very time again.
func (c Callback) Undelivered(reason string, now time.Time) Callback {
	if now.Before(c.NextAt) {
		now = c.NextAt
	}
	c = c.unswept().unpostponed()
	c.Tries++
	c.LastError, c.UpdatedAt = reason, now
	if c.FirstFailedAt == nil {
		c.FirstFailedAt = &now
	}
	next, ok := retryAfter(c.FirstFailedAt.UTC(), now)
	if !ok {
		c.State = CallbackDead
		c.NextAt = now
		return c
	}
	c.NextAt = next
	return c
}

// retryAfter is the first published time later than now, counted from the
// first failure; false when none is left.
func retryAfter(first, now time.Time) (time.Time, bool) {
	for _, delay := range earlyRetries {
		if at := first.Add(delay); at.After(now) {
			return at, true
		}
	}
	for delay := retryEvery; delay <= giveUpAfter; delay += retryEvery {
		if at := first.Add(delay); at.After(now) {
			return at, true
		}
	}
	return time.Time{}, false
}

// Replayed is the callback when it is to be delivered again, under its old id.
func (c Callback) Replayed(now time.Time) Callback {
	c = c.unswept().unpostponed()
	c.State, c.FirstFailedAt, c.NextAt, c.UpdatedAt, c.LastError = CallbackPending, nil, now, now, ""
	return c
}
