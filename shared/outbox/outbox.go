// Package outbox decides when callbacks and mails are tried, retried and given up. They embed an Entry, which is
// written in the transaction of the change that they report, and sent afterwards.
package outbox

import "time"

// Entry is the delivery state of a callback or mail.
type Entry struct {
	ID            string     `dynamo:"id"`
	CreatedAt     time.Time  `dynamo:"created_at"`
	Tries         int        `dynamo:"tries"`
	FirstFailedAt *time.Time `dynamo:"first_failed_at,omitempty"`
	NextAt        time.Time  `dynamo:"next_at"`            // of the next try
	UpdatedAt     time.Time  `dynamo:"updated_at"`         // when NextAt was set
	Sweeps        int        `dynamo:"sweeps,omitempty"`   // messages that the sweep has sent for the next try
	SweptAt       time.Time  `dynamo:"swept_at,omitempty"` // time of the latest of them
	State         string     `dynamo:"state"`
	LastError     string     `dynamo:"last_error,omitempty"`
}

// States of an entry.
const (
	Pending   = "owed"
	Sending   = "sending" // a try has begun; only mails record this
	Delivered = "delivered"
	Dropped   = "dropped" // no try can deliver it, or it is obsolete
	Dead      = "dead"
)

// interrupted is the LastError of a try whose outcome was not recorded.
const interrupted = "interrupted"

const (
	// fastPath is the longest delay of a queue's message (SQS: 900 s).
	fastPath = 15 * time.Minute
	// Grace is the time that the fast path (stream, queue) has before the sweep sends an entry, or asks the acquirer.
	Grace = time.Minute
	// firstResend and longestResend bound the gaps between the sweep's messages for one try. Each gap is twice the one
	// before, so that a queue that is slow for a day holds some 30 of these messages, not 1,440.
	firstResend   = 5 * time.Minute
	longestResend = time.Hour
	// earliness is the most that clocks and queues may bring a try forward.
	earliness = 5 * time.Second
)

// New returns an entry whose first try is due at once.
func New(id string, now time.Time) Entry {
	return Entry{ID: id, CreatedAt: now, NextAt: now, UpdatedAt: now, State: Pending}
}

// Waits returns true if the entry is still to be delivered.
func (e Entry) Waits() bool { return e.State == Pending || e.State == Sending }

// IsDue returns true if the entry is still to be delivered and its next try is due, or will be within a few seconds.
// While a try runs, no other is due.
func (e Entry) IsDue(now time.Time) bool {
	switch e.State {
	case Pending:
		return !now.Before(e.NextAt.Add(-earliness))
	case Sending:
		return !now.Before(e.NextAt)
	default:
		return false
	}
}

// TryAt returns the time for the fast path's next try. It returns the zero time once the sweep has sent the try, or
// after an interrupted try.
func (e Entry) TryAt() time.Time {
	if e.State != Pending || e.Sweeps > 0 {
		return time.Time{}
	}
	return e.NextAt
}

// QueueDelay returns the fast path's delay for a message that is due at a time. It returns false if a queue cannot
// delay a message so long; then the sweep sends it.
func QueueDelay(at, now time.Time) (time.Duration, bool) {
	delay := at.Sub(now)
	return max(delay, 0), delay <= fastPath
}

// SweepAt returns the time for the sweep to send the next try if it has not been made: after the fast path's grace,
// then at growing gaps, because a message may still wait in a slow queue.
func (e Entry) SweepAt() time.Time {
	if e.Sweeps > 0 {
		return e.SweptAt.Add(min(firstResend<<min(e.Sweeps-1, 8), longestResend))
	}
	if _, fast := QueueDelay(e.NextAt, e.UpdatedAt); fast && e.State == Pending {
		return e.NextAt.Add(Grace)
	}
	return e.NextAt
}

// Overdue returns true if the sweep must send the next try.
func (e Entry) Overdue(now time.Time) bool { return e.Waits() && !now.Before(e.SweepAt()) }

// Lost returns true if the stream or the queue should have started an overdue try. A try further ahead than a queue can
// delay a message is left to the sweep.
func (e Entry) Lost() bool {
	_, fast := QueueDelay(e.NextAt, e.UpdatedAt)
	return fast && e.State == Pending || e.Sweeps > 0
}

// Swept returns the entry after the sweep has sent its next try.
func (e Entry) Swept(now time.Time) Entry {
	e.Sweeps, e.SweptAt = e.Sweeps+1, now
	return e
}

// Unswept forgets the sweep's messages for a try that has been made, or will be made at another time.
func (e Entry) Unswept() Entry {
	e.Sweeps, e.SweptAt = 0, time.Time{}
	return e
}

// earlyRetries are the published delays after the first failed try. Then a try follows every RetryEvery until
// giveUpAfter (contract §11.3).
var earlyRetries = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, 2 * time.Hour}

// The later retries. RetryEvery is the longest gap between two.
const (
	RetryEvery  = 12 * time.Hour
	giveUpAfter = 72 * time.Hour
)

// Sent returns the entry after a try that delivered it.
func (e Entry) Sent() Entry {
	e.State, e.Tries, e.LastError = Delivered, e.Tries+1, ""
	return e
}

// Undelivered returns the entry after a failed try: due again by the published times, or dead once three days have
// passed since the first failure.
//
// A try that was made a moment early counts as made at its time. Otherwise the next try would be due at that same time.
func (e Entry) Undelivered(reason string, now time.Time) Entry {
	if now.Before(e.NextAt) {
		now = e.NextAt
	}
	e = e.Unswept()
	e.Tries++
	e.LastError, e.UpdatedAt = reason, now
	if e.FirstFailedAt == nil {
		e.FirstFailedAt = &now
	}
	next, ok := retryAfter(e.FirstFailedAt.UTC(), now)
	if !ok {
		e.State, e.NextAt = Dead, now
		return e
	}
	e.State, e.NextAt = Pending, next
	return e
}

// Begun returns the entry during a try, whose outcome may never be recorded. The next try is due as after a failed try,
// so an entry whose tries crash the process is not tried more often.
func (e Entry) Begun(now time.Time) Entry {
	begun := e.Undelivered(interrupted, now)
	if begun.State == Dead { // only this try's outcome decides that
		begun.NextAt = begun.UpdatedAt.Add(RetryEvery)
	}
	begun.State = Sending
	return begun
}

// Expired returns the entry as dead if its last try was interrupted and no other follows; else false.
func (e Entry) Expired(now time.Time) (Entry, bool) {
	if e.State != Sending || !e.IsDue(now) {
		return e, false
	}
	if _, more := retryAfter(e.FirstFailedAt.UTC(), e.UpdatedAt); more {
		return e, false
	}
	e = e.Unswept()
	e.State, e.NextAt, e.UpdatedAt = Dead, now, now
	return e, true
}

// Dropped returns the entry as undeliverable, for a reason that no other try changes.
func (e Entry) Dropped(reason string) Entry {
	e = e.Unswept()
	e.State, e.LastError = Dropped, reason
	return e
}

// Held returns the entry due again later, because nothing can be sent now. It counts no try.
func (e Entry) Held(reason string, wait time.Duration, now time.Time) Entry {
	e = e.Unswept()
	e.State, e.LastError, e.NextAt, e.UpdatedAt = Pending, reason, now.Add(wait), now
	return e
}

// retryAfter returns the first published time after now, counted from the first failure; false when none is left.
func retryAfter(first, now time.Time) (time.Time, bool) {
	for _, delay := range earlyRetries {
		if at := first.Add(delay); at.After(now) {
			return at, true
		}
	}
	for delay := RetryEvery; delay <= giveUpAfter; delay += RetryEvery {
		if at := first.Add(delay); at.After(now) {
			return at, true
		}
	}
	return time.Time{}, false
}

// Replayed returns the entry ready for delivery again, under its old id.
func (e Entry) Replayed(now time.Time) Entry {
	e = e.Unswept()
	e.State, e.FirstFailedAt, e.NextAt, e.UpdatedAt, e.LastError = Pending, nil, now, now, ""
	return e
}
