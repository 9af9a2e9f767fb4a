package wal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
)

// notesSnapshotAfter is the SnapshotAfter of Notes, in bytes.
const notesSnapshotAfter = 4 << 20

// Notes is a log of a small state in JSON. OpenNotes reads all notes of a record or none. A nil *Notes keeps nothing.
type Notes[N any] struct {
	*Log
	state  func() []N
	notice func(error)
}

// OpenNotes opens a log like [Open] and passes each note to read. state returns the notes of a snapshot. notice
// receives errors that stop nothing else, such as a failed snapshot. A nil notice ignores them.
func OpenNotes[N any](dir, name string, o Options, read func(N) error, state func() []N, notice func(error),
) (*Notes[N], error) {
	if o.SnapshotAfter == 0 {
		o.SnapshotAfter = notesSnapshotAfter
	}
	log, err := Open(dir, name, o, func(record []byte) error { return decode(record, read) })
	if err != nil {
		return nil, err
	}
	if notice == nil {
		notice = func(error) {}
	}
	return &Notes[N]{log, state, notice}, nil
}

func decode[N any](record []byte, read func(N) error) error {
	d := json.NewDecoder(bytes.NewReader(record))
	d.DisallowUnknownFields()
	for d.More() {
		var note N
		if err := d.Decode(&note); err != nil {
			return fmt.Errorf("a record cannot be read: %w", err)
		}
		if err := read(note); err != nil {
			return err
		}
	}
	return nil
}

// Keep appends notes as one record. If a snapshot is due, Keep writes the snapshot first. Callers lock the state, and
// change it only after Keep.
func (n *Notes[N]) Keep(notes ...N) error {
	if n == nil {
		return nil
	}
	if n.SnapshotDue() {
		if err := n.writeSnapshot(); err != nil {
			n.notice(err)
		}
	}
	return n.Append(encode(notes...))
}

func (n *Notes[N]) writeSnapshot() error {
	snapshot, err := n.BeginSnapshot()
	if err != nil {
		return err
	}
	return snapshot.Write(Records(n.state()))
}

// Records returns each note encoded as a record.
func Records[N any](notes []N) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, note := range notes {
			if !yield(encode(note)) {
				return
			}
		}
	}
}

func encode[N any](notes ...N) []byte {
	var record bytes.Buffer
	encoder := json.NewEncoder(&record)
	for _, note := range notes {
		if err := encoder.Encode(note); err != nil {
			panic("wal: a note does not marshal: " + err.Error()) // notes hold texts, numbers and times, so this is a bug
		}
	}
	return record.Bytes()
}
