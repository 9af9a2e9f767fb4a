package payments

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/cashwrap/cashwrap/shared/outbox"
)

// Callback types: EventCheckoutStatusChanged online, EventReaderTransaction at readers (contract §11.1, §11.4).
const (
	EventCheckoutStatusChanged = "CHECKOUT_STATUS_CHANGED"
	EventReaderTransaction     = "solo.transaction.updated"
)

// Callback is one message for a return_url. It is written in the same transaction as the status change that it reports.
type Callback struct {
	outbox.Entry                  // its ID is msg_<uuid>, the webhook-id of every try
	EventType      string         `dynamo:"event_type"`
	CheckoutID     string         `dynamo:"checkout_id"`
	URL            string         `dynamo:"url"`
	Status         CheckoutStatus `dynamo:"status"`
	ShowsStatus    bool           `dynamo:"shows_status,omitempty"`    // true online; older items show no status
	TransactionID  string         `dynamo:"transaction_id,omitempty"`  // at a reader
	Reason         string         `dynamo:"reason,omitempty"`          // at a reader: why the checkout was not paid
	Postponements  int            `dynamo:"postponements,omitempty"`   // number of postponements of the next try
	PostponedSince time.Time      `dynamo:"postponed_since,omitempty"` // first postponement of the next try
}

const (
	// firstPostponement and longestPostponement bound a postponement. Each postponement of a try is twice as long as the
	// one before, up to longestPostponement, so that callbacks do not come back all the time.
	firstPostponement   = 2 * time.Second
	longestPostponement = 64 * time.Second
	// maxPostponed is the longest gap between tries. A try that was first postponed this long ago is made even if the
	// breaker is open. This is checked only when the try is due. So if the try was last postponed shortly before, it is
	// made a little later.
	maxPostponed = outbox.RetryEvery
)

// newCallback returns the callback that reports the checkout's new status; nil without a return_url.
func newCallback(c Checkout, id string, now time.Time) *Callback {
	if c.ReturnURL == "" {
		return nil
	}
	callback := &Callback{Entry: outbox.New(id, now), EventType: EventCheckoutStatusChanged, CheckoutID: c.ID,
		URL: c.ReturnURL, Status: c.Status}
	if c.Reader == nil {
		callback.ShowsStatus = true
	} else {
		callback.EventType, callback.TransactionID, callback.Reason = EventReaderTransaction, c.Attempt.ID, c.Reader.Reason
	}
	return callback
}

// Swept returns the callback after the sweep has sent its next try.
func (c Callback) Swept(now time.Time) Callback {
	c.Entry = c.Entry.Swept(now)
	return c
}

// Postponed returns the callback with its due try postponed, at least until the time earliest. A postponement does not
// count as a try, so later tries keep their published times.
func (c Callback) Postponed(earliest, now time.Time) Callback {
	c.Entry = c.Unswept()
	wait := max(earliest.Sub(now), min(firstPostponement<<min(c.Postponements, 8), longestPostponement))
	if c.Postponements++; c.PostponedSince.IsZero() {
		c.PostponedSince = now
	}
	c.NextAt, c.UpdatedAt = now.Add(wait+c.jitter(wait/2)), now
	return c
}

// jitter returns a time up to the limit, so that callbacks postponed together do not return together.
func (c Callback) jitter(limit time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, c.ID, c.Postponements) // never fails
	return limit * time.Duration(hash.Sum32()%1000) / 1000
}

// PostponedTooLong returns true if the next try must be made even if its host's breaker is open.
func (c Callback) PostponedTooLong(now time.Time) bool {
	return !c.PostponedSince.IsZero() && !now.Before(c.PostponedSince.Add(maxPostponed))
}

// afterTry returns the callback after a try, which ends its postponements.
func (c Callback) afterTry(e outbox.Entry) Callback {
	c.Entry, c.Postponements, c.PostponedSince = e, 0, time.Time{}
	return c
}

// Delivered returns the callback after any 2xx.
func (c Callback) Delivered() Callback { return c.afterTry(c.Sent()) }

// Undelivered returns the callback after a failed try (outbox.Entry).
func (c Callback) Undelivered(reason string, now time.Time) Callback {
	return c.afterTry(c.Entry.Undelivered(reason, now))
}

// Replayed returns the callback ready for delivery again, under its old id.
func (c Callback) Replayed(now time.Time) Callback { return c.afterTry(c.Entry.Replayed(now)) }
