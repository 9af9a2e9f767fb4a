package sqs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// LogName is the name of an Engine's log in its folder.
const LogName = "queues"

// snapshotAfter is how many bytes the segments of a log have when a snapshot is due.
const snapshotAfter = 4 << 20

// note is a record of the log: one of its members is set.
type note struct {
	Queue *queue       `json:"queue,omitempty"` // that was made, without its messages
	Sent  *messageNote `json:"sent,omitempty"`
	Gone  *messageNote `json:"gone,omitempty"`
}

type messageNote struct {
	Queue   string   `json:"queue"`
	ID      string   `json:"id,omitempty"`
	Message *message `json:"message,omitempty"`
}

// Open returns an Engine that keeps queues and messages in a log in the folder, and brings back what the log holds.
// What the log refuses does not happen and is answered with InternalFailure. Receives are not kept: what was in flight
// is visible again, and receives since the last snapshot are not counted. Errors: those of [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	if o.SnapshotAfter == 0 {
		o.SnapshotAfter = snapshotAfter
	}
	log, err := wal.Open(dir, LogName, o, e.read)
	if err != nil {
		return nil, err
	}
	e.log = log
	return e, nil
}

// Close ends the log of an engine that Open has made.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Close()
}

// Refused is why the log of an engine that Open has made refused the last record; nil when it took it.
func (e *Engine) Refused() error { return e.log.Refused() }

// persist writes notes as one record, when there is a log. Callers hold mu.
func (e *Engine) persist(notes ...note) error {
	if e.log == nil {
		return nil
	}
	if e.log.SnapshotDue() { // before the record, whose change is not made yet
		if err := e.snapshot(); err != nil {
			e.config.Notice(err)
		}
	}
	if err := e.log.Append(encode(notes...)); err != nil {
		return internal("This cannot be kept, so it was not done: %v", err)
	}
	return nil
}

func encode(notes ...note) []byte {
	var record bytes.Buffer
	encoder := json.NewEncoder(&record)
	for _, n := range notes {
		if err := encoder.Encode(n); err != nil {
			panic("sqs: a note does not marshal: " + err.Error()) // notes are texts, numbers and times: a bug here
		}
	}
	return record.Bytes()
}

// snapshot writes what there is now. Queues are small: it is done at once.
func (e *Engine) snapshot() error {
	snapshot, err := e.log.BeginSnapshot()
	if err != nil {
		return err
	}
	return snapshot.Write(e.records())
}

// Dump writes all that a log would hold, so that a test can search it.
func (e *Engine) Dump(w io.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for record := range e.records() {
		if _, err := w.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// records are everything there is now. Callers hold mu.
func (e *Engine) records() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range e.notes() {
			if !yield(encode(n)) {
				return
			}
		}
	}
}

func (e *Engine) notes() iter.Seq[note] {
	return func(yield func(note) bool) {
		for _, name := range slices.Sorted(maps.Keys(e.queues)) {
			q := e.queues[name]
			if !yield(note{Queue: q}) {
				return
			}
			for _, m := range q.Messages {
				if !yield(note{Sent: &messageNote{Queue: name, Message: m}}) {
					return
				}
			}
		}
	}
}

// read does what a record says.
func (e *Engine) read(record []byte) error {
	d := json.NewDecoder(bytes.NewReader(record))
	d.DisallowUnknownFields()
	for d.More() {
		var n note
		if err := d.Decode(&n); err != nil {
			return fmt.Errorf("a record cannot be read: %w", err)
		}
		if !e.readNote(n) {
			return errors.New("a record names no queue")
		}
	}
	return nil
}

func (e *Engine) readNote(n note) (ok bool) {
	switch {
	case n.Queue != nil:
		e.queues[n.Queue.Name] = newQueue(n.Queue.Name, n.Queue.Attributes, n.Queue.Created)
		return true
	case n.Sent != nil:
		if q := e.queues[n.Sent.Queue]; q != nil && n.Sent.Message != nil {
			q.restore(n.Sent.Message)
			ok = true
		}
	case n.Gone != nil:
		if q := e.queues[n.Gone.Queue]; q != nil {
			q.Messages = slices.DeleteFunc(q.Messages, func(m *message) bool { return m.ID == n.Gone.ID })
			ok = true
		}
	}
	return ok
}

// restore adds a message as it was sent, or moved here.
func (q *queue) restore(m *message) {
	if m.Handle != "" { // it was in flight when a snapshot was written
		m.Handle, m.Due = "", m.LastReceived
	}
	q.insert(m)
}
