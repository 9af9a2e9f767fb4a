// Package wal is a write-ahead log: what Append has returned for is read back by the next Open, however the process ended
// in between. It guards against the end of the process, not of the machine: nothing waits for the disk (no fsync).
//
// A log is a row of files in one folder. Records are appended to the newest journal, NAME.n.log. So that the journals do
// not grow for good, a base, NAME.n.base, can be written of the state that journals 1 to n have led to (Rotate); it
// replaces them. Open reads the newest base and the journals after it.
//
// # File format
//
// A file is a header and frames. A frame is its payload's length and CRC-32C, a CRC-32C of these two, and the payload,
// numbers in 32 bits little endian. A frame without payload ends a file: a base, or a journal that another one continues.
//
// So damage can be told from a process that died while it wrote: that leaves a journal which ends within its last frame,
// for which Append had not returned. Open cuts it off. Anything else that does not add up is a [Damaged] file.
//
// # Why not a library
//
// Those tried lack one half each: bbolt 1.5.0 has checksums for its two meta pages alone, and Pebble 2.1.7 ends the
// process when a write to its log fails, where this log refuses the record and goes on once the disk takes writes again.
package wal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxPayload bounds a record, in bytes.
const MaxPayload = 64 << 20

const private = 0o600

// Damaged is a file that holds what no process can have left there.
type Damaged struct {
	File    string
	At      int64 // offset of the frame in bytes
	Problem string
}

// Error names the file, the place and what to do.
func (d *Damaged) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s. %s", d.File, d.At, d.Problem, whatToDo)
}

const whatToDo = "Restore it from a copy, or empty everything with `make reset`."

// File is what a Log needs of an *os.File to write it.
type File interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Options of Open. The zero value is for the real disk.
type Options struct {
	// OpenFile replaces os.OpenFile for files that are written, to make faults.
	OpenFile func(path string, flag int) (File, error)
}

// Log appends records. It is safe for concurrent use.
type Log struct {
	dir, name string
	open      func(path string, flag int) (File, error)

	mu       sync.Mutex
	journal  *journal
	refused  error // why the last record could not be written; nil since one could
	baseSize int64 // bytes of the newest base
	since    int64 // bytes appended after it
}

// Open reads the log called name in the folder, and makes it if there is none. Each record is handed to load in the order
// in which they were appended, those of a base first; the payload stays valid. Errors: a [*Damaged], load's as one, what
// is missing, the disk's.
func Open(dir, name string, o Options, load func(payload []byte) error) (*Log, error) {
	l := &Log{dir: dir, name: name, open: o.OpenFile}
	if l.open == nil {
		l.open = func(path string, flag int) (File, error) { return os.OpenFile(path, flag, private) }
	}
	last, err := l.read(load)
	if err != nil {
		return nil, err
	}
	l.journal, err = l.resume(last)
	return l, err
}

// path is a file's: a base's or a journal's.
func (l *Log) path(number int, kind string) string {
	return filepath.Join(l.dir, fmt.Sprintf("%s.%06d.%s", l.name, number, kind))
}

// Append writes a record. After an error nothing of it will ever be read; the next Append tries the disk again.
func (l *Log) Append(payload []byte) error {
	if err := checkSize(payload); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(payload)
}

func checkSize(payload []byte) error {
	if len(payload) == 0 || len(payload) > MaxPayload {
		return fmt.Errorf("a record of %d bytes does not fit into the log", len(payload))
	}
	return nil
}

func (l *Log) append(payload []byte) error {
	before := l.journal.size
	l.refused = l.journal.append(payload)
	l.since += l.journal.size - before
	return l.refused
}

// probe is a record that Open passes over.
var probe = []byte{0}

// Check says whether the log takes records: it costs a write only when the last one failed.
func (l *Log) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		return nil
	}
	return l.append(probe)
}

// Refused is why the last record could not be written; nil when it was.
func (l *Log) Refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// Grown is how many bytes the newest base has, and how many were appended since.
func (l *Log) Grown() (base, since int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.baseSize, l.since
}

// Close ends the log. Records need no flushing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.journal.file.Close()
}
