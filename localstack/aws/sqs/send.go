package sqs

import (
	"crypto/md5"
	"fmt"
)

type sent struct {
	MessageId        string
	MD5OfMessageBody string
}

func (e *Engine) send(q *queue, o outgoing) (sent, error) {
	if err := o.check(q); err != nil {
		return sent{}, err
	}
	now := e.now()
	m := &message{Body: *o.MessageBody, Sent: now, Due: now.Add(o.delay(q))}
	if o.MessageGroupId != nil {
		m.Group = *o.MessageGroupId
	}
	m.ID = e.newID().String()
	if err := e.persist(note{Sent: &messageNote{Queue: q.Name, Message: m}}); err != nil {
		return sent{}, err
	}
	q.Messages = append(q.Messages, m)
	q.wake()
	return sent{MessageId: m.ID, MD5OfMessageBody: digest(m.Body)}, nil
}

func digest(body string) string { return fmt.Sprintf("%x", md5.Sum([]byte(body))) }
