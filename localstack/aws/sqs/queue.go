package sqs

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// queue is one queue. The log keeps the fields that have a name in JSON. The engine's lock guards all fields.
type queue struct {
	Name       string            `json:"name"`
	Attributes map[string]string `json:"attributes"` // all settable attributes, with values
	Created    time.Time         `json:"created"`
	// Messages holds messages in any state, in order of arrival.
	Messages []*message `json:"-"`

	// changed is closed and replaced when waiting receives should try again.
	changed chan struct{}
}

// message is a message in a queue. Until Due, the message is delayed or, once delivered, in flight. After Due, it is
// visible.
type message struct {
	ID    string    `json:"id"`
	Body  string    `json:"body"`
	Group string    `json:"group,omitempty"`
	Sent  time.Time `json:"sent"`
	Due   time.Time `json:"due"`
	// Handle is the receipt handle of the latest delivery; "" before the first.
	Handle        string    `json:"handle,omitempty"`
	Receives      int       `json:"receives,omitempty"`
	FirstReceived time.Time `json:"first_received,omitzero"`
	LastReceived  time.Time `json:"last_received,omitzero"`
	// Source is the ARN of the queue that moved the message to this dead-letter queue.
	Source string `json:"source,omitempty"`
	// Redelivered marks a message that survived one delete. The next delete removes it.
	Redelivered bool `json:"redelivered,omitempty"`
}

func (m *message) isVisible(now time.Time) bool  { return !now.Before(m.Due) }
func (m *message) isInflight(now time.Time) bool { return m.Handle != "" && now.Before(m.Due) }

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

// expire drops messages past retention. It checks only the front, because messages are nearly in order of age.
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

// insert adds a message from another queue. It keeps the messages in order of age, so that expire finds the message.
func (q *queue) insert(m *message) {
	at := len(q.Messages)
	for at > 0 && q.Messages[at-1].Sent.After(m.Sent) {
		at--
	}
	q.Messages = slices.Insert(q.Messages, at, m)
	q.wake()
}

// nextDue returns the time when a message next changes its state. If limit is earlier, nextDue returns limit.
func (q *queue) nextDue(now, limit time.Time) time.Time {
	for _, m := range q.Messages {
		if m.Due.After(now) && m.Due.Before(limit) {
			limit = m.Due
		}
	}
	return limit
}

// openQueue returns the queue with a URL and drops its expired messages.
func (e *Engine) openQueue(queueURL string) (*queue, error) {
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

// path is the part of a queue's URL before its name.
const path = "/" + account + "/"
