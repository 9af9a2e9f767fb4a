package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	snapshotKind = "snapshot"
	segmentKind  = "log"
	unfinished   = ".new" // suffix of a snapshot's name while it is written
)

// files lists a log's files in its folder: numbers in ascending order, and the paths of unfinished snapshots.
type files struct {
	snapshots, segments []int
	unfinished          []string
}

// Exists returns true if dir holds a log called name that was opened before.
func Exists(dir, name string) (bool, error) {
	l := &Log{dir: dir, name: name}
	found, err := l.findFiles()
	if err != nil || len(found.snapshots) > 0 || len(found.segments) != 1 {
		return len(found.snapshots)+len(found.segments) > 0, err
	}
	// A lone segment without a header is left by a process that died during its first write.
	info, err := os.Stat(l.path(found.segments[0], segmentKind))
	return err == nil && info.Size() >= int64(fileHeaderSize), err
}

func (l *Log) findFiles() (found files, err error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), l.name+".")
		digits, kind, _ := strings.Cut(rest, ".")
		number, err := strconv.Atoi(digits)
		switch {
		case !ours || err != nil:
		case kind == snapshotKind:
			found.snapshots = append(found.snapshots, number)
		case kind == segmentKind:
			found.segments = append(found.segments, number)
		case kind == snapshotKind+unfinished:
			found.unfinished = append(found.unfinished, filepath.Join(l.dir, entry.Name()))
		}
	}
	slices.Sort(found.snapshots)
	slices.Sort(found.segments)
	return found, nil
}

type ending struct {
	number int
	at     int64 // end of the last whole frame
	sealed bool  // has a final frame without payload
	torn   bool  // ends within a frame or the header
}

// isEmpty returns true if the file has no records.
func (e ending) isEmpty() bool { return e.at <= int64(fileHeaderSize) }

// read passes every record to load. It returns the ending of the newest segment, or the zero ending if there is none.
func (l *Log) read(load func([]byte) error) (last ending, err error) {
	found, err := l.findFiles()
	if err != nil {
		return last, err
	}
	for _, path := range found.unfinished {
		if err := os.Remove(path); err != nil {
			return last, err
		}
	}
	covered := 0
	if n := len(found.snapshots); n > 0 {
		covered = found.snapshots[n-1]
		if err := l.readSnapshot(covered, load); err != nil {
			return last, err
		}
	}
	newest := covered
	if n := len(found.segments); n > 0 {
		newest = max(newest, found.segments[n-1])
	}
	return l.readSegments(covered, newest, load)
}

// readSegments reads the segments from covered+1 to newest. covered is the number of the last segment in the snapshot,
// or 0 without a snapshot.
func (l *Log) readSegments(covered, newest int, load func([]byte) error) (last ending, err error) {
	for number := covered + 1; number <= newest; number++ {
		next, err := l.readSegment(number, load)
		switch {
		case err != nil:
			return last, err
		case next.at == 0 && (last.sealed || number > 1 && number == covered+1):
			// A new segment gets its header before the previous segment is sealed, or before a snapshot replaces that segment.
			return last, &CorruptError{l.path(number, segmentKind), 0, "its header is missing"}
		case number == covered+1 || last.sealed:
		case next.isEmpty() && number == newest:
			// The process died after it made this segment and before it sealed the previous segment. The log continues in the
			// previous segment.
			return last, os.Remove(l.path(number, segmentKind))
		default:
			return last, &CorruptError{l.path(last.number, segmentKind), last.at, "its end is missing"}
		}
		l.since += next.at
		last = next
	}
	if last.sealed || covered > 0 && last.number == 0 {
		return last, missingError(l.path(newest+1, segmentKind))
	}
	return last, nil
}

func missingError(path string) error { return fmt.Errorf("%s is missing. %s", path, whatToDo) }

func (l *Log) readSnapshot(number int, load func([]byte) error) error {
	path := l.path(number, snapshotKind)
	end, err := readFile(path, snapshotKind, load)
	if err == nil && !end.sealed {
		err = &CorruptError{path, end.at, "its end is missing"}
	}
	l.snapshotSize = end.at
	return err
}

func (l *Log) readSegment(number int, load func([]byte) error) (ending, error) {
	path := l.path(number, segmentKind)
	end, err := readFile(path, segmentKind, load)
	if errors.Is(err, fs.ErrNotExist) {
		err = missingError(path)
	}
	end.number = number
	return end, err
}
