// Package wal is a write-ahead log: what Append has acknowledged is read back by the next Open, however the process
// ended. It does not guard against the end of the machine: nothing waits for the disk (no fsync).
//
// A log is a sequence of files in one folder. Append writes to the newest segment, NAME.n.log. A snapshot,
// NAME.n.snapshot, replaces segments 1 to n by the state that they led to (BeginSnapshot), so that segments do not grow
// forever. Open reads the newest snapshot and the segments after it.
//
// # File format
//
// A file is a header and frames. A frame is its payload's length and CRC-32C, a CRC-32C of these two, and the payload,
// numbers in 32 bits little endian. A frame without payload ends a file: a snapshot, or a segment that another
// continues. A process that ends while it writes leaves a segment that ends within its last frame, for which Append had
// not returned: Open cuts it off. Any other difference is a [CorruptError].
//
// # Why not a library
//
// bbolt 1.5.0 has checksums for its two meta pages only. Pebble 2.1.7 ends the process when a write to its log fails,
// where this log refuses the record and continues when the disk takes writes again.
package wal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxPayload bounds a record, in bytes.
const MaxPayload = 64 << 20

const private = 0o600

// CorruptError reports a file with content that no process can have written.
type CorruptError struct {
	File    string
	At      int64 // offset of the frame in bytes
	Problem string
}

// Error names the file, the place and what to do.
func (d *CorruptError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s. %s", d.File, d.At, d.Problem, whatToDo)
}

const whatToDo = "Restore it from a copy, or empty everything with `make reset`."

// File is the part of *os.File that a Log writes with.
type File interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Options of Open. The zero value is for the real disk.
type Options struct {
	// OpenFile replaces os.OpenFile for files that are written, so that tests can make it fail.
	OpenFile func(path string, flag int) (File, error)
	// SnapshotAfter is how many bytes segments have when a snapshot is due; 0 is 64 MB.
	SnapshotAfter int64
}

const defaultSnapshotAfter = 64 << 20

// Log appends records. It is safe for concurrent use.
type Log struct {
	dir, name     string
	open          func(path string, flag int) (File, error)
	snapshotAfter int64

	mu           sync.Mutex
	segment      *segment
	refused      error // why the last record could not be written; nil since one could
	snapshotSize int64 // bytes of the newest snapshot
	since        int64 // bytes appended after it
	dueAt        int64 // bytes of since before which no snapshot is tried again
}

// Open reads or makes the log called name. It passes each payload, which stays valid, to load in order, a snapshot's
// first. Errors: a [*CorruptError], load's as one, what is missing, the disk's.
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

// Append writes a record. After an error nothing of it will ever be read; the next Append tries the disk again.
func (l *Log) Append(payload []byte) error {
	if err := check(payload); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(payload)
}

// probe is a record that Open skips.
var probe = []byte{0}

func check(payload []byte) error {
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

// Check reports whether the log takes records. It writes something only when the last write failed.
func (l *Log) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		return nil
	}
	return l.append(probe)
}

// Refused returns why the last record could not be written; nil when it was.
func (l *Log) Refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// SnapshotDue reports whether segments have grown by Options.SnapshotAfter and a quarter of the newest snapshot, or as
// much again after a failure. So a byte costs at most four more, and reading a log hardly more than a snapshot.
func (l *Log) SnapshotDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since >= max(l.dueAt, l.snapshotAfter, l.snapshotSize/4)
}

// Close ends the log. Records need no flushing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.segment.file.Close()
}
