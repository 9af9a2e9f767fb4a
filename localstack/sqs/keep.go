package sqs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/wal"
)

// LogName is the name of an Engine's log in its folder.
const LogName = "queues"

// leastJournal is how many bytes are appended to a log before it is compacted.
const leastJournal = 4 << 20

// note is a record of the log: one of its members is set.
type note struct {
	Queue   *queue       `json:"queue,omitempty"` // as it is now, without its messages
	Deleted *deletion    `json:"deleted,omitempty"`
	Purged  *deletion    `json:"purged,omitempty"`
	Sent    *messageNote `json:"sent,omitempty"`
	Gone    *messageNote `json:"gone,omitempty"`
}

type deletion struct {
	Queue string    `json:"queue"`
	At    time.Time `json:"at"`
}

type messageNote struct {
	Queue   string   `json:"queue"`
	ID      string   `json:"id,omitempty"`
	Message *message `json:"message,omitempty"`
}

// Open returns an Engine that keeps queues and messages in a log in the folder, and brings back what the log holds. What
// the log refuses does not happen and is answered with InternalFailure. Receives are not kept: what was in flight is
// visible again, and its receive count begins again. Errors: those of [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	log, err := wal.Open(dir, LogName, o, e.read)
	if err != nil {
		return nil, err
	}
	e.log = log
	return e, nil
}

// Close ends the engine's log.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Close()
}

// Refused is why the log refused the last record; nil when it took it.
func (e *Engine) Refused() error { return e.log.Refused() }

// keep writes notes as one record, when there is a log. Callers hold mu.
func (e *Engine) keep(notes ...note) error {
	if e.log == nil {
		return nil
	}
	if _, since := e.log.Grown(); since > e.compactAt {
		e.compact(since) // before the record, whose change is not made yet
	}
	record, err := encode(notes)
	if err == nil {
		err = e.log.Append(record)
	}
	if err != nil {
		return internal("This cannot be kept, so it was not done: %v", err)
	}
	return nil
}

func encode(notes []note) ([]byte, error) {
	var record bytes.Buffer
	encoder := json.NewEncoder(&record)
	for _, n := range notes {
		if err := encoder.Encode(n); err != nil {
			return nil, err
		}
	}
	return record.Bytes(), nil
}

// compact writes what there is now into a base. Queues are small: it is done at once.
func (e *Engine) compact(since int64) {
	e.compactAt = since + e.leastJournal // tried again then, should it fail
	base, err := e.log.Rotate()
	if err != nil {
		e.config.Notice(fmt.Errorf("the log of the queues was not compacted, so it goes on growing: %w", err))
		return
	}
	err = e.write(base.Append)
	if err != nil {
		err = errors.Join(err, base.Discard())
	} else {
		err = base.Commit()
	}
	if err != nil {
		e.config.Notice(fmt.Errorf("the log of the queues was not compacted, so it goes on growing: %w", err))
		return
	}
	size, _ := e.log.Grown()
	e.compactAt = max(size, e.leastJournal)
}

// Dump writes all that a log would hold, for whoever looks for something in it.
func (e *Engine) Dump(w io.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.write(func(record []byte) error {
		_, err := w.Write(record)
		return err
	})
}

// write notes everything there is now.
func (e *Engine) write(append func(record []byte) error) error {
	write := func(n note) error {
		record, err := encode([]note{n})
		if err != nil {
			return err
		}
		return append(record)
	}
	for name, at := range e.deleted {
		if err := write(note{Deleted: &deletion{name, at}}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.queues)) {
		q := e.queues[name]
		if err := write(note{Queue: q}); err != nil {
			return err
		}
		for _, m := range q.Messages {
			if err := write(note{Sent: &messageNote{Queue: name, Message: m}}); err != nil {
				return err
			}
		}
	}
	return nil
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
		e.define(n.Queue)
		return true
	case n.Deleted != nil:
		delete(e.queues, n.Deleted.Queue)
		e.deleted[n.Deleted.Queue] = n.Deleted.At
		return true
	case n.Purged != nil:
		if q := e.queues[n.Purged.Queue]; q != nil {
			q.Messages, q.Purged, ok = nil, n.Purged.At, true
		}
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

// define makes a queue, or changes all of it but its messages.
func (e *Engine) define(q *queue) {
	q.changed = make(chan struct{})
	if old := e.queues[q.Name]; old != nil {
		q.Messages = old.Messages
		old.wake()
	}
	delete(e.deleted, q.Name)
	e.queues[q.Name] = q
}

// restore adds a message as it was sent, or moved here.
func (q *queue) restore(m *message) {
	if m.Handle != "" { // it was in flight when a base was written
		m.Handle, m.Due = "", m.LastReceived
	}
	q.insert(m)
}
