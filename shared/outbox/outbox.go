// Package outbox decides when callbacks and mails are tried, retried and given up. Callbacks and mails embed an Entry.
// They are written in the same transaction as the change that they report, and are sent afterwards.
package outbox

import "time"

// Entry is the delivery state of a callback or mail.
type Entry struct {
	ID            string     `dynamo:"id"`
	CreatedAt     time.Time  `dynamo:"created_at"`
	Tries         int        `dynamo:"tries"`
	FirstFailedAt *time.Time `dynamo:"first_failed_at,omitempty"`
	NextAt        time.Time  `dynamo:"next_at"`            // time of the next try
	UpdatedAt     time.Time  `dynamo:"updated_at"`         // time when NextAt was set
	Sweeps        int        `dynamo:"sweeps,omitempty"`   // number of messages that the sweep has sent for the next try
	SweptAt       time.Time  `dynamo:"swept_at,omitempty"` // time of the last of these messages
	State         string     `dynamo:"state"`
	LastError     string     `dynamo:"last_error,omitempty"`
}

// States of an entry.
const (
	Pending   = "owed"
	Sending   = "sending" // a try has begun; only mails record this
	Delivered = "delivered"
	Dropped   = "dropped" // no try can deliver the entry, or the entry is obsolete
	Dead      = "dead"
)

// interrupted is the LastError of a try whose outcome was not recorded.
const interrupted = "interrupted"

const (
	// fastPath is the longest delay that a queue allows for a message (SQS: 900 s).
	fastPath = 15 * time.Minute
	// Grace is the time that the fast path (stream, queue) has. After this time, the sweep sends an entry, or asks the
	// acquirer.
	Grace = time.Minute
	// firstResend and longestResend bound the gaps between the messages that the sweep sends for one try. Each gap is
	// twice as long as the gap before. So if a queue is slow for a day, it holds some 30 of these messages, not 1,440.
	firstResend   = 5 * time.Minute
	longestResend = time.Hour
	// earliness is the longest time by which clocks and queues may make a try too early.
	earliness = 5 * time.Second
)

// New returns an entry whose first try is due at once.
func New(id string, now time.Time) Entry {
	return Entry{ID: id, CreatedAt: now, NextAt: now, UpdatedAt: now, State: Pending}
}

// Waits returns true if the entry is still to be delivered.
func (e Entry) Waits() bool { return e.State == Pending || e.State == Sending }

// IsDue returns true if the entry is still to be delivered, and its next try is due now or within a few seconds. While
// one try runs, no other try is due.
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

// TryAt returns the time for the next try by the fast path. It returns the zero time once the sweep has sent
// the try, or after an interrupted try.
func (e Entry) TryAt() time.Time {
	if e.State != Pending || e.Sweeps > 0 {
		return time.Time{}
	}
	return e.NextAt
}

// QueueDelay returns the delay of the fast path's message for a try at the given time. It returns false if a queue
// cannot delay a message that long. The sweep then sends the message.
func QueueDelay(at, now time.Time) (time.Duration, bool) {
	delay := at.Sub(now)
	return max(delay, 0), delay <= fastPath
}

// SweepAt returns the time for the sweep to send the next try, if the try has not been made by then. The first time
// is after the fast path's grace. The gaps then grow, because a message may still be waiting in a slow queue.
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

// Lost returns true if the stream or the queue should already have started a try that is overdue. If a try was too far
// ahead for a queue's delay, the sweep sends its first message. Such a try is lost only if that message did not start
// it.
func (e Entry) Lost() bool {
	_, fast := QueueDelay(e.NextAt, e.UpdatedAt)
	return fast && e.State == Pending || e.Sweeps > 0
}

// Swept returns the entry with a record that the sweep has sent its next try.
func (e Entry) Swept(now time.Time) Entry {
	e.Sweeps, e.SweptAt = e.Sweeps+1, now
	return e
}

// Unswept returns the entry without the record of the sweep's messages. Use it once the try has been made, or is moved
// to another time.
func (e Entry) Unswept() Entry {
	e.Sweeps, e.SweptAt = 0, time.Time{}
	return e
}

// earlyRetries are the published delays after the first failed try. Later tries follow at intervals of RetryEvery,
// until giveUpAfter (contract §11.3).
var earlyRetries = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, 2 * time.Hour}

// Times of the later retries. RetryEvery is the longest gap between two tries.
const (
	RetryEvery  = 12 * time.Hour
	giveUpAfter = 72 * time.Hour
)

// Sent returns the entry after a try that has delivered it.
func (e Entry) Sent() Entry {
	e.State, e.Tries, e.LastError = Delivered, e.Tries+1, ""
	return e
}

// Undelivered returns the entry after a failed try. The entry is due again at the next published time. Once three days
// have passed since the first failure, it is dead.
//
// A try that was made a moment early counts as made on time. Otherwise the next try would be due at the same time
// again.
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

// Begun returns the entry as it is stored when a try begins, in case the outcome of the try is never recorded. The next
// try is due as after a failed try. So an entry whose tries crash the process is not tried more often than others.
func (e Entry) Begun(now time.Time) Entry {
	begun := e.Undelivered(interrupted, now)
	if begun.State == Dead { // only the outcome of this try decides if the entry is dead
		begun.NextAt = begun.UpdatedAt.Add(RetryEvery)
	}
	begun.State = Sending
	return begun
}

// Expired returns the entry as dead, and true, if its last try was interrupted and no other try follows. Otherwise it
// returns false.
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

// Dropped returns the entry as undeliverable. The reason says why no further try would help: a permanent fault, a
// limit, or a mail that is no longer wanted.
func (e Entry) Dropped(reason string) Entry {
	e = e.Unswept()
	e.State, e.LastError = Dropped, reason
	return e
}

// Held returns the entry with a later due time, because nothing can be sent now. This does not count as a try.
func (e Entry) Held(reason string, wait time.Duration, now time.Time) Entry {
	e = e.Unswept()
	e.State, e.LastError, e.NextAt, e.UpdatedAt = Pending, reason, now.Add(wait), now
	return e
}

// retryAfter returns the first published time after now. The published times count from the first failure. It returns
// false when none is left.
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
