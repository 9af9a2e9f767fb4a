package sqs

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// LogName is the name of an Engine's log inside its folder.
const LogName = "queues"

// note is a record of the log. Exactly one of its members is set.
type note struct {
	Queue *queue       `json:"queue,omitempty"` // new queue, without its messages
	Sent  *messageNote `json:"sent,omitempty"`
	Gone  *messageNote `json:"gone,omitempty"`
}

type messageNote struct {
	Queue   string   `json:"queue"`
	ID      string   `json:"id,omitempty"`
	Message *message `json:"message,omitempty"`
}

// Open returns an Engine that keeps queues and messages in a log in dir. It restores them from that log. If the log
// refuses a change, the change is not made and the client gets InternalFailure. After Open, messages in flight are
// visible again, and receives since the last snapshot are not counted. Open fails with the errors of [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	log, err := wal.OpenNotes(dir, LogName, o, e.readNote, e.notes, e.config.Notice)
	if err != nil {
		return nil, err
	}
	e.log = log
	return e, nil
}

// Close closes the log. The Engine must come from Open.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Close()
}

// Refused returns the log's error for the last record, or nil if the log took it. The Engine must come from Open.
func (e *Engine) Refused() error { return e.log.Refused() }

// persist appends notes to the log as one record, if there is a log. Callers hold mu.
func (e *Engine) persist(notes ...note) error {
	if err := e.log.Keep(notes...); err != nil {
		return internalError("This cannot be kept, so it was not done: %v", err)
	}
	return nil
}

// Dump writes the whole state as a log would hold it, so that a test can search it.
func (e *Engine) Dump(w io.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for record := range wal.Records(e.notes()) {
		if _, err := w.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// notes returns the whole state as notes. Callers hold mu.
func (e *Engine) notes() (all []note) {
	for _, name := range slices.Sorted(maps.Keys(e.queues)) {
		q := e.queues[name]
		all = append(all, note{Queue: q})
		for _, m := range q.Messages {
			all = append(all, note{Sent: &messageNote{Queue: name, Message: m}})
		}
	}
	return all
}

func (e *Engine) readNote(n note) error {
	switch {
	case n.Queue != nil:
		e.queues[n.Queue.Name] = newQueue(n.Queue.Name, n.Queue.Attributes, n.Queue.Created)
		return nil
	case n.Sent != nil && e.queues[n.Sent.Queue] != nil && n.Sent.Message != nil:
		e.queues[n.Sent.Queue].restore(n.Sent.Message)
		return nil
	case n.Gone != nil && e.queues[n.Gone.Queue] != nil:
		q := e.queues[n.Gone.Queue]
		q.Messages = slices.DeleteFunc(q.Messages, func(m *message) bool { return m.ID == n.Gone.ID })
		return nil
	}
	return errors.New("a record names no queue")
}

// restore adds a message that was sent to, or moved to, this queue.
func (q *queue) restore(m *message) {
	if m.Handle != "" { // in flight at the time of a snapshot
		m.Handle, m.Due = "", m.LastReceived
	}
	q.insert(m)
}
