package sqs

import (
	"slices"
	"strconv"
	"time"
)

const (
	maxReceive  = 10
	maxInflight = 120_000 // messages per queue
)

type (
	receiveMessageInput struct {
		QueueUrl                    string
		MaxNumberOfMessages         *int
		VisibilityTimeout           *int
		WaitTimeSeconds             *int
		MessageSystemAttributeNames []string
	}
	receiveMessageOutput struct {
		Messages []received `json:",omitempty"`
	}
	received struct {
		MessageId     string
		ReceiptHandle string
		MD5OfBody     string
		Body          string
		Attributes    map[string]string `json:",omitempty"`
	}
)

var systemAttributes = []string{
	everyAttribute, "ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "DeadLetterQueueSourceArn",
	"MessageGroupId", "SenderId", "SentTimestamp",
}

// receiveMessage tries to receive. Until the wait is over, it tries again whenever the queue changes.
func (e *Engine) receiveMessage(c call, in receiveMessageInput) (receiveMessageOutput, error) {
	if err := in.check(); err != nil {
		return receiveMessageOutput{}, err
	}
	began := e.now()
	for {
		messages, next, err := e.tryReceive(in, began)
		if err != nil || len(messages) > 0 || next.wait <= 0 {
			return receiveMessageOutput{Messages: messages}, err
		}
		select {
		case <-next.changed:
		case <-e.config.After(next.wait):
		case <-c.Done():
			return receiveMessageOutput{}, c.Err()
		}
	}
}

// retry decides when a long poll without result tries again. If wait is not positive, the poll never tries again.
type retry struct {
	wait    time.Duration
	changed <-chan struct{}
}

func (e *Engine) tryReceive(in receiveMessageInput, began time.Time) ([]received, retry, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q, err := e.openQueue(in.QueueUrl)
	if err != nil {
		return nil, retry{}, err
	}
	now := e.now()
	taken, err := e.take(q, now, orDefault(in.MaxNumberOfMessages, 1))
	if err != nil {
		return nil, retry{}, err
	}
	visibility := time.Duration(orDefault(in.VisibilityTimeout, q.number(visibilityTimeout))) * time.Second
	messages := make([]received, 0, len(taken))
	for _, m := range taken {
		e.deliver(q, m, now, visibility)
		messages = append(messages, received{MessageId: m.ID, ReceiptHandle: m.Handle, MD5OfBody: digest(m.Body),
			Body: m.Body, Attributes: in.attributesOf(m)})
	}
	end := began.Add(time.Duration(orDefault(in.WaitTimeSeconds, q.number(receiveMessageWaitTime))) * time.Second)
	return messages, retry{q.nextDue(now, end).Sub(now), q.changed}, nil
}

// take returns the messages to deliver. It first moves messages that were received too often to the dead-letter queue.
func (e *Engine) take(q *queue, now time.Time, most int) ([]*message, error) {
	e.redrive(q, now)
	if len(q.Messages) >= maxInflight && q.inflightCount(now) >= maxInflight {
		return nil, fail(overLimit, "Too many messages in flight: delete some first.")
	}
	visible, busy := q.visibleMessages(now), q.loads(now)
	var taken []*message
	for len(visible) > 0 && len(taken) < most {
		next := busy.fairChoices(visible)
		m := next[e.config.Pick(len(next))]
		taken = append(taken, m)
		busy.add(m.Group, load{messages: 1})
		visible = slices.DeleteFunc(visible, func(v *message) bool { return v == m })
	}
	return taken, nil
}

func (q *queue) inflightCount(now time.Time) int {
	return len(filter(q.Messages, func(m *message) bool { return m.isInflight(now) }))
}

func (q *queue) visibleMessages(now time.Time) []*message {
	return filter(q.Messages, func(m *message) bool { return m.isVisible(now) })
}

func (e *Engine) deliver(q *queue, m *message, now time.Time, visibility time.Duration) {
	m.Handle = e.newHandle(q, m)
	m.Receives++
	if m.FirstReceived.IsZero() {
		m.FirstReceived = now
	}
	m.LastReceived = now
	m.Due = now.Add(visibility)
	if e.config.Duplicate(m.ID) {
		m.Due = now
	}
}

// redrive moves visible messages that reached maxReceiveCount to the dead-letter queue.
func (e *Engine) redrive(q *queue, now time.Time) {
	value, ok := q.Attributes[redrivePolicy]
	if !ok {
		return
	}
	policy, err := parseRedrive(value)
	if err != nil {
		panic("sqs: unchecked redrive policy: " + err.Error())
	}
	target := e.queueByARN(policy.Target) // existed when the queue was created, and queues are never deleted
	for _, m := range q.visibleMessages(now) {
		if m.Receives < policy.maximum() {
			continue
		}
		moved := *m
		moved.Handle, moved.Due, moved.Source = "", now, e.arn(q.Name)
		err := e.persist(note{Gone: &messageNote{Queue: q.Name, ID: m.ID}},
			note{Sent: &messageNote{Queue: target.Name, Message: &moved}})
		if err != nil {
			return // a later receive tries again
		}
		q.remove(m)
		target.insert(&moved)
	}
}

func (in receiveMessageInput) check() error {
	if n := orDefault(in.MaxNumberOfMessages, 1); n < 1 || n > maxReceive {
		return invalid(n, "MaxNumberOfMessages", "Must be between 1 and %d, if provided.", maxReceive)
	}
	if n := orDefault(in.WaitTimeSeconds, 0); n < 0 || n > maxWait {
		return invalid(n, "WaitTimeSeconds", "Must be >= 0 and <= %d, if provided.", maxWait)
	}
	if err := checkVisibility(orDefault(in.VisibilityTimeout, 0)); err != nil {
		return err
	}
	for _, name := range in.MessageSystemAttributeNames {
		if !slices.Contains(systemAttributes, name) {
			return fail(invalidAttributeName, "Unknown Attribute %s.", name)
		}
	}
	return nil
}

func (in receiveMessageInput) attributesOf(m *message) map[string]string {
	all := map[string]string{
		"ApproximateFirstReceiveTimestamp": millis(m.FirstReceived),
		"ApproximateReceiveCount":          strconv.Itoa(m.Receives),
		"DeadLetterQueueSourceArn":         m.Source,
		"MessageGroupId":                   m.Group,
		"SenderId":                         account,
		"SentTimestamp":                    millis(m.Sent),
	}
	names := in.MessageSystemAttributeNames
	wanted := map[string]string{}
	for name, value := range all {
		if value != "" && (slices.Contains(names, everyAttribute) || slices.Contains(names, name)) {
			wanted[name] = value
		}
	}
	return wanted
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

func orDefault(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}
