package sqs

type (
	sendMessageInput struct {
		ofQueue
		outgoing
	}
	sendMessageBatchInput struct {
		ofQueue
		Entries []outgoingEntry
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
	}
)

func (e *Engine) sendMessage(q *queue, in sendMessageInput) (sent, error) {
	return e.send(q, in.outgoing)
}

func (e *Engine) sendMessageBatch(q *queue, in sendMessageBatchInput) (batchOutput, error) {
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
	m.ID = e.newID().String()
	if err := e.persist(note{Sent: &messageNote{Queue: q.Name, Message: m}}); err != nil {
		return sent{}, err
	}
	q.Messages = append(q.Messages, m)
	q.wake()
	return sent{
		MessageId:                    m.ID,
		MD5OfMessageBody:             digest(m.Body),
		MD5OfMessageAttributes:       attributesDigest(m.Attributes),
		MD5OfMessageSystemAttributes: attributesDigest(m.SystemAttributes),
	}, nil
}
