// Package wal is a write-ahead log: records that Append has acknowledged survive the end of the process. Open reads
// them back and returns a Log to append to. The log does not survive a crash of the machine, because nothing waits for
// the disk (no fsync).
//
// A log is a sequence of files in one folder. Append writes to the newest segment, NAME.n.log. A snapshot
// (BeginSnapshot), NAME.n.snapshot, replaces segments 1 to n by the state that they led to, so that segments do not
// grow forever. Open reads the newest snapshot and the segments after it.
//
// # File format
//
// A file is a header and frames. A frame consists of the payload's length, the payload's CRC-32C, a CRC-32C of these
// two numbers, and the payload. Numbers have 32 bits, little endian. A frame without payload ends a snapshot. It also
// ends a segment if another segment continues the log. If a process ends during a write, its segment ends within the
// last frame. Append had not returned for that frame, so Open cuts it off. Any other deviation is a [CorruptError].
//
// # Why not a library
//
// bbolt 1.5.0 has checksums for its two meta pages only. Pebble 2.1.7 ends the process when a write to its log fails.
// This log instead refuses the record, and continues when the disk takes writes again.
package wal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxPayload is the maximum size of a record, in bytes.
const MaxPayload = 64 << 20

const private = 0o600

// CorruptError reports a file with content that no process of this program can have written.
type CorruptError struct {
	File    string
	At      int64 // offset of the frame in bytes
	Problem string
}

// Error names the file, the offset and the remedy.
func (d *CorruptError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s. %s", d.File, d.At, d.Problem, whatToDo)
}

const whatToDo = "Restore it from a copy, or empty everything with `make reset`."

// File is the part of *os.File that a Log uses for writing.
type File interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Options configure Open. The zero Options use the real disk.
type Options struct {
	// OpenFile replaces os.OpenFile for files to write, so that tests can make it fail.
	OpenFile func(path string, flag int) (File, error)
	// SnapshotAfter makes a snapshot due when the segments have this size, in bytes. 0 means 64 MB.
	SnapshotAfter int64
}

const defaultSnapshotAfter = 64 << 20

// Log is an open log. It is safe for concurrent use.
type Log struct {
	dir, name     string
	open          func(path string, flag int) (File, error)
	snapshotAfter int64

	mu           sync.Mutex
	segment      *segment
	refused      error // error of the last write; nil if it succeeded
	snapshotSize int64 // bytes of the newest snapshot
	since        int64 // bytes appended after that snapshot
	dueAt        int64 // no snapshot is due before since has this value
}

// Open opens the log called name in dir, or creates the log. It calls load with each payload, in the order of writing.
// The function load may keep the payload. Open returns a [*CorruptError] if content is damaged or load fails. It
// returns another error if a file is missing or the disk fails.
func Open(dir, name string, o Options, load func(payload []byte) error) (*Log, error) {
	l := &Log{dir: dir, name: name, open: o.OpenFile, snapshotAfter: o.SnapshotAfter}
	if l.open == nil {
		l.open = func(path string, flag int) (File, error) { return os.OpenFile(path, flag, private) }
	}
	if l.snapshotAfter == 0 {
		l.snapshotAfter = defaultSnapshotAfter
	}
	last, err := l.read(load)
	if err != nil {
		return nil, err
	}
	l.segment, err = l.resume(last)
	return l, err
}

func (l *Log) path(number int, kind string) string {
	return filepath.Join(l.dir, fmt.Sprintf("%s.%06d.%s", l.name, number, kind))
}

// Append writes a record. If it fails, the record will never be read, and the next Append tries the disk again.
func (l *Log) Append(payload []byte) error {
	if err := checkPayload(payload); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(payload)
}

// probe is a record that Check writes and Open skips.
var probe = []byte{0}

func checkPayload(payload []byte) error {
	switch {
	case len(payload) == 0 || len(payload) > MaxPayload:
		return fmt.Errorf("a record of %d bytes does not fit into the log", len(payload))
	case bytes.Equal(payload, probe):
		return fmt.Errorf("the record %v is reserved", probe)
	}
	return nil
}

func (l *Log) append(payload []byte) error {
	before := l.segment.size
	l.refused = l.segment.append(payload)
	l.since += l.segment.size - before
	return l.refused
}

// Check returns an error if the log takes no records. If the last write failed, Check writes a probe to find out
// whether the log takes records again.
func (l *Log) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		return nil
	}
	return l.append(probe)
}

// Refused returns the error of the last write, or nil if it succeeded.
func (l *Log) Refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// SnapshotDue returns true if a snapshot is due. The segments must have grown by Options.SnapshotAfter and by a quarter
// of the newest snapshot since that snapshot. After a failed snapshot, they must grow by SnapshotAfter again. So
// snapshots write at most four bytes per appended byte, and segments add little to the time of reading.
func (l *Log) SnapshotDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since >= max(l.dueAt, l.snapshotAfter, l.snapshotSize/4)
}

// Close closes the log. Records need no flushing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.segment.file.Close()
}
