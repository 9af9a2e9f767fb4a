package wal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
)

// notesSnapshotAfter is how many bytes the segments of a log of notes have when a snapshot is due.
const notesSnapshotAfter = 4 << 20

// Notes is a log of JSON for a small state. A record's notes are read back all or none. nil keeps nothing.
type Notes[N any] struct {
	*Log
	state  func() []N
	notice func(error)
}

// OpenNotes opens a log as [Open] does, and passes each note to read. state returns all notes, for snapshots. notice is
// told of failures, such as of a snapshot; nil drops them.
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

// Keep writes notes as one record, after a due snapshot. Callers lock the state, and change it only afterwards.
func (n *Notes[N]) Keep(notes ...N) error {
	if n == nil {
		return nil
	}
	if n.SnapshotDue() {
		if err := n.snapshot(); err != nil {
			n.notice(err)
		}
	}
	return n.Append(encode(notes...))
}

func (n *Notes[N]) snapshot() error {
	snapshot, err := n.BeginSnapshot()
	if err != nil {
		return err
	}
	return snapshot.Write(Records(n.state()))
}

// Records encodes notes, each as a record.
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
			panic("wal: a note does not marshal: " + err.Error()) // notes are texts, numbers and times: a bug here
		}
	}
	return record.Bytes()
}
