package sqs

import (
	"fmt"
	"time"
)

// dedupWindow is how long a deduplication id is remembered after its message was sent, even if that is deleted.
const dedupWindow = 5 * time.Minute

type (
	sendMessageInput struct {
		QueueUrl string
		outgoing
	}
	sendMessageBatchInput struct {
		QueueUrl string
		Entries  []outgoingEntry
	}
	outgoingEntry struct {
		batchID
		outgoing
	}
	sent struct {
		MessageId                    string
		MD5OfMessageBody             string
		MD5OfMessageAttributes       string `json:",omitempty"`
		MD5OfMessageSystemAttributes string `json:",omitempty"`
		SequenceNumber               string `json:",omitempty"`
	}
)

// sentOnce remembers a FIFO message for deduplication.
type sentOnce struct {
	Key       string    `json:"key"`
	MessageID string    `json:"message_id"`
	Sequence  string    `json:"sequence"`
	At        time.Time `json:"at"`
}

func (e *Engine) sendMessage(_ call, in sendMessageInput) (sent, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return sent{}, err
	}
	return e.send(q, in.outgoing)
}

func (e *Engine) sendMessageBatch(_ call, in sendMessageBatchInput) (batchOutput, error) {
	q, err := e.queue(in.QueueUrl)
	if err != nil {
		return batchOutput{}, err
	}
	total := 0
	for _, entry := range in.Entries {
		total += entry.size()
	}
	if total > maxMessageBytes {
		return batchOutput{}, fail(batchTooLong,
			"Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxMessageBytes, total)
	}
	return eachEntry(in.Entries, func(entry outgoingEntry) (any, error) {
		s, err := e.send(q, entry.outgoing)
		return struct {
			batchID
			sent
		}{entry.batchID, s}, err
	})
}

func (e *Engine) send(q *queue, o outgoing) (sent, error) {
	if err := o.check(q); err != nil {
		return sent{}, err
	}
	now := e.now()
	m := &message{
		Body:             *o.MessageBody,
		Attributes:       o.MessageAttributes,
		SystemAttributes: o.MessageSystemAttributes,
		Sent:             now,
		Due:              now.Add(o.delay(q)),
	}
	if o.MessageGroupId != nil {
		m.Group = *o.MessageGroupId
	}
	if q.fifo() {
		m.Deduplication = o.deduplication()
		if before := q.remembered(m, now); before != nil {
			return receipt(m, before.MessageID, before.Sequence), nil
		}
		q.Sequence++
		m.Sequence = fmt.Sprintf("%020d", q.Sequence)
	}
	m.ID = e.newID().String()
	if err := e.persist(note{Sent: &messageNote{Queue: q.Name, Message: m}}); err != nil {
		return sent{}, err
	}
	q.remember(m)
	q.Messages = append(q.Messages, m)
	q.wake()
	return receipt(m, m.ID, m.Sequence), nil
}

// receipt answers for a message under its own id or, when it is a duplicate, under that of the first.
func receipt(m *message, id, sequence string) sent {
	return sent{
		MessageId:                    id,
		MD5OfMessageBody:             digest(m.Body),
		MD5OfMessageAttributes:       attributesDigest(m.Attributes),
		MD5OfMessageSystemAttributes: attributesDigest(m.SystemAttributes),
		SequenceNumber:               sequence,
	}
}

func (o outgoing) deduplication() string {
	if o.MessageDeduplicationId != nil {
		return *o.MessageDeduplicationId
	}
	return contentDigest(*o.MessageBody)
}

// dedupKey holds a message against those of its queue or of its group. Neither id contains a space.
func (q *queue) dedupKey(m *message) string {
	if q.Attributes[deduplicationScope] == "messageGroup" {
		return m.Group + " " + m.Deduplication
	}
	return m.Deduplication
}

// remembered returns the message of the last five minutes that m repeats, if there is one.
func (q *queue) remembered(m *message, now time.Time) *sentOnce {
	n := 0
	for n < len(q.Recent) && now.Sub(q.Recent[n].At) >= dedupWindow {
		n++
	}
	q.Recent = q.Recent[n:]
	key := q.dedupKey(m)
	for i := range q.Recent {
		if q.Recent[i].Key == key {
			return &q.Recent[i]
		}
	}
	return nil
}

func (q *queue) remember(m *message) {
	if q.fifo() {
		q.Recent = append(q.Recent, sentOnce{q.dedupKey(m), m.ID, m.Sequence, m.Sent})
	}
}
