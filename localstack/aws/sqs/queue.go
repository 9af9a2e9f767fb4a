package sqs

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// queue is one queue. Its fields with a name in JSON are what a log keeps; the engine's lock guards all.
type queue struct {
	Name       string            `json:"name"`
	Attributes map[string]string `json:"attributes"` // the settable ones, all with a value
	Created    time.Time         `json:"created"`
	// Messages are in order of arrival, whatever their state.
	Messages []*message `json:"-"`

	// changed is closed, and replaced, when a waiting receive should try again.
	changed chan struct{}
}

// message is one message in one queue: before Due it is delayed or, once delivered, in flight; then visible.
type message struct {
	ID    string    `json:"id"`
	Body  string    `json:"body"`
	Group string    `json:"group,omitempty"`
	Sent  time.Time `json:"sent"`
	Due   time.Time `json:"due"`
	// Handle of the latest delivery; "" before the first.
	Handle        string    `json:"handle,omitempty"`
	Receives      int       `json:"receives,omitempty"`
	FirstReceived time.Time `json:"first_received,omitzero"`
	LastReceived  time.Time `json:"last_received,omitzero"`
	// Source is the ARN of the queue that moved the message to this dead-letter queue.
	Source string `json:"source,omitempty"`
	// Redelivered marks a message that survived one delete; the next one holds.
	Redelivered bool `json:"redelivered,omitempty"`
}

func (m *message) visible(now time.Time) bool  { return !now.Before(m.Due) }
func (m *message) inflight(now time.Time) bool { return m.Handle != "" && now.Before(m.Due) }

func newQueue(name string, attributes map[string]string, now time.Time) *queue {
	return &queue{Name: name, Attributes: attributes, Created: now, changed: make(chan struct{})}
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *queue) remove(m *message) {
	if i := slices.Index(q.Messages, m); i >= 0 {
		q.Messages = slices.Delete(q.Messages, i, i+1)
	}
}

func (q *queue) byID(id string) *message {
	for _, m := range q.Messages {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// expire drops messages past retention. They are nearly in order of age, so it checks only the front.
func (q *queue) expire(now time.Time) {
	oldest := now.Add(-q.seconds(messageRetentionPeriod))
	n := 0
	for n < len(q.Messages) && !q.Messages[n].Sent.After(oldest) {
		n++
	}
	if n > 0 {
		q.Messages = slices.Delete(q.Messages, 0, n)
		q.wake()
	}
}

// insert adds a message that another queue gave up. It is placed by age, so that expire finds it.
func (q *queue) insert(m *message) {
	at := len(q.Messages)
	for at > 0 && q.Messages[at-1].Sent.After(m.Sent) {
		at--
	}
	q.Messages = slices.Insert(q.Messages, at, m)
	q.wake()
}

// nextDue returns when the state of a message changes next, no later than limit.
func (q *queue) nextDue(now, limit time.Time) time.Time {
	for _, m := range q.Messages {
		if m.Due.After(now) && m.Due.Before(limit) {
			limit = m.Due
		}
	}
	return limit
}

// queue finds a queue by its URL and drops what has expired in it.
func (e *Engine) queue(queueURL string) (*queue, error) {
	if queueURL == "" {
		return nil, fail(missingParameter, "The request must contain the parameter QueueUrl.")
	}
	u, err := url.Parse(queueURL)
	if err != nil || !strings.HasPrefix(u.Path, path) {
		return nil, fail(invalidAddress, "The address %s is not valid for this endpoint.", queueURL)
	}
	q := e.queues[strings.TrimPrefix(u.Path, path)]
	if q == nil {
		return nil, errNoQueue
	}
	q.expire(e.now())
	return q, nil
}

var errNoQueue = fail(queueDoesNotExist, "The specified queue does not exist.")

// path is the part of a queue's URL before the queue's name.
const path = "/" + account + "/"
