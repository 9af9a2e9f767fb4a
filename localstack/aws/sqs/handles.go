package sqs

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
)

// A receipt handle is the message's id, a random number of this delivery, and a checksum over both and the queue, in
// base64. The checksum distinguishes a handle of this queue from anything else, even after its message was deleted.
const (
	handleNonce = 16
	handleSum   = 32
	handleSize  = 36
)

type (
	handleInput struct {
		ofQueue
		ReceiptHandle string
	}
	handleEntry struct {
		batchID
		ReceiptHandle string
	}
	handleBatchInput struct {
		ofQueue
		Entries []handleEntry
	}
	visibilityInput struct {
		ofQueue
		ReceiptHandle     string
		VisibilityTimeout *int
	}
	visibilityEntry struct {
		batchID
		ReceiptHandle     string
		VisibilityTimeout *int
	}
	visibilityBatchInput struct {
		ofQueue
		Entries []visibilityEntry
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

// handled finds the message of a receipt handle; nil when it is gone.
func (e *Engine) handled(q *queue, handle string) (*message, error) {
	if handle == "" {
		return nil, fail(missingParameter, "The request must contain the parameter ReceiptHandle.")
	}
	b, err := base64.StdEncoding.DecodeString(handle)
	if err != nil || len(b) != handleSize || binary.BigEndian.Uint32(b[handleSum:]) != e.handleSum(q, b[:handleSum]) {
		return nil, fail(invalidHandle, "The input receipt handle is invalid.")
	}
	return q.byID(uuid.UUID(b[:handleNonce]).String()), nil
}

func (e *Engine) deleteMessage(q *queue, in handleInput) (empty, error) {
	return empty{}, e.delete(q, in.ReceiptHandle)
}

func (e *Engine) deleteMessageBatch(q *queue, in handleBatchInput) (batchOutput, error) {
	return eachEntry(in.Entries, func(entry handleEntry) (any, error) {
		return entry.batchID, e.delete(q, entry.ReceiptHandle)
	})
}

// delete succeeds for a message that is gone and for an outdated handle; the latter deletes nothing.
func (e *Engine) delete(q *queue, handle string) error {
	m, err := e.handled(q, handle)
	if err != nil || m == nil {
		return err
	}
	if m.Handle != handle {
		return nil
	}
	if !m.Redelivered && e.config.Redeliver(m.ID) {
		m.Redelivered, m.Due = true, e.now()
		q.wake()
		return nil
	}
	if err := e.persist(note{Gone: &messageNote{Queue: q.Name, ID: m.ID}}); err != nil {
		return err
	}
	q.remove(m)
	return nil
}

func (e *Engine) changeMessageVisibility(q *queue, in visibilityInput) (empty, error) {
	return empty{}, e.setVisibility(q, in.ReceiptHandle, in.VisibilityTimeout)
}

func (e *Engine) changeMessageVisibilityBatch(q *queue, in visibilityBatchInput) (batchOutput, error) {
	return eachEntry(in.Entries, func(entry visibilityEntry) (any, error) {
		return entry.batchID, e.setVisibility(q, entry.ReceiptHandle, entry.VisibilityTimeout)
	})
}

func (e *Engine) setVisibility(q *queue, handle string, seconds *int) error {
	if seconds == nil {
		return fail(missingParameter, "The request must contain the parameter VisibilityTimeout.")
	}
	if err := checkVisibility(*seconds); err != nil {
		return err
	}
	m, err := e.handled(q, handle)
	if err != nil {
		return err
	}
	now := e.now()
	if m == nil || m.Handle != handle || !m.inflight(now) {
		return fail(notInflight, "Value %s for parameter ReceiptHandle is invalid. Reason: Message does not exist or is "+
			"not available for visibility timeout change.", handle)
	}
	due := now.Add(time.Duration(*seconds) * time.Second)
	if due.Sub(m.LastReceived) > maxVisibility*time.Second {
		return fail(invalidParameter, "Value %d for parameter VisibilityTimeout is invalid. Reason: Total "+
			"VisibilityTimeout for the message is beyond the limit [%d seconds].", *seconds, maxVisibility)
	}
	m.Due = due
	q.wake()
	return nil
}

func checkVisibility(seconds int) error {
	if seconds < 0 || seconds > maxVisibility {
		return fail(invalidParameter, "Value %d for parameter VisibilityTimeout is invalid. "+
			"Reason: VisibilityTimeout must be between 0 and %d.", seconds, maxVisibility)
	}
	return nil
}
