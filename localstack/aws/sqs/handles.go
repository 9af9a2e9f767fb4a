package sqs

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
)

// A receipt handle is the base64 of the message's id, a random nonce of the delivery, and a checksum of both and the
// queue. The checksum identifies the queue's handles even after their message was deleted.
const (
	handleNonce = 16
	handleSum   = 32
	handleSize  = 36
)

type (
	deletion   struct{ ReceiptHandle string }
	visibility struct {
		ReceiptHandle     string
		VisibilityTimeout *int
	}
)

func (e *Engine) newHandle(q *queue, m *message) string {
	id, nonce := uuid.MustParse(m.ID), e.newID()
	b := append(id[:], nonce[:]...)
	b = binary.BigEndian.AppendUint32(b, e.handleSum(q, b))
	return base64.StdEncoding.EncodeToString(b)
}

func (e *Engine) handleSum(q *queue, b []byte) uint32 {
	return crc32.ChecksumIEEE(append([]byte(e.arn(q.Name)), b...))
}

// findByHandle returns the message of a receipt handle, or nil if the message is gone.
func (e *Engine) findByHandle(q *queue, handle string) (*message, error) {
	if handle == "" {
		return nil, fail(missingParameter, "The request must contain the parameter ReceiptHandle.")
	}
	b, err := base64.StdEncoding.DecodeString(handle)
	if err != nil || len(b) != handleSize || binary.BigEndian.Uint32(b[handleSum:]) != e.handleSum(q, b[:handleSum]) {
		return nil, fail(invalidHandle, "The input receipt handle is invalid.")
	}
	return q.byID(uuid.UUID(b[:handleNonce]).String()), nil
}

// delete deletes the message of a receipt handle. It also succeeds if the message is gone or the handle is outdated. An
// outdated handle deletes nothing.
func (e *Engine) delete(q *queue, in deletion) (empty, error) {
	m, err := e.findByHandle(q, in.ReceiptHandle)
	if err != nil || m == nil || m.Handle != in.ReceiptHandle {
		return empty{}, err
	}
	if !m.Redelivered && e.config.Redeliver(m.ID) {
		m.Redelivered, m.Due = true, e.now()
		q.wake()
		return empty{}, nil
	}
	if err := e.persist(note{Gone: &messageNote{Queue: q.Name, ID: m.ID}}); err != nil {
		return empty{}, err
	}
	q.remove(m)
	return empty{}, nil
}

func (e *Engine) setVisibility(q *queue, in visibility) (empty, error) {
	if in.VisibilityTimeout == nil {
		return empty{}, fail(missingParameter, "The request must contain the parameter VisibilityTimeout.")
	}
	seconds := *in.VisibilityTimeout
	if err := checkVisibility(seconds); err != nil {
		return empty{}, err
	}
	m, err := e.findByHandle(q, in.ReceiptHandle)
	if err != nil {
		return empty{}, err
	}
	now := e.now()
	if m == nil || m.Handle != in.ReceiptHandle || !m.isInflight(now) {
		return empty{}, fail(notInflight, "Value %s for parameter ReceiptHandle is invalid. Reason: Message does not exist "+
			"or is not available for visibility timeout change.", in.ReceiptHandle)
	}
	due := now.Add(time.Duration(seconds) * time.Second)
	if due.Sub(m.LastReceived) > maxVisibility*time.Second {
		return empty{}, invalid(seconds, "VisibilityTimeout", "Total VisibilityTimeout for the message is beyond the limit "+
			"[%d seconds].", maxVisibility)
	}
	m.Due = due
	q.wake()
	return empty{}, nil
}

func checkVisibility(seconds int) error {
	if seconds < 0 || seconds > maxVisibility {
		return invalid(seconds, "VisibilityTimeout", "VisibilityTimeout must be between 0 and %d.", maxVisibility)
	}
	return nil
}
