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
	unfinished   = ".new" // after the name of a snapshot that is being written
)

// files are what a folder holds of a log: numbers, ascending, and paths of what is unfinished.
type files struct {
	snapshots, segments []int
	unfinished          []string
}

// Exists reports whether the folder holds a log of that name that has been opened before.
func Exists(dir, name string) (bool, error) {
	l := &Log{dir: dir, name: name}
	found, err := l.find()
	if err != nil || len(found.snapshots) > 0 || len(found.segments) != 1 {
		return len(found.snapshots)+len(found.segments) > 0, err
	}
	// The only segment has no header when its process died with the first write.
	info, err := os.Stat(l.path(found.segments[0], segmentKind))
	return err == nil && info.Size() >= int64(fileHeaderSize), err
}

func (l *Log) find() (found files, err error) {
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
	sealed bool  // by a frame without payload
	torn   bool  // within a frame, or within the header
}

// empty reports whether the file holds no record.
func (e ending) empty() bool { return e.at <= int64(fileHeaderSize) }

// read passes every record to load. It returns how the newest segment ends; the zero ending when there is none yet.
func (l *Log) read(load func([]byte) error) (last ending, err error) {
	found, err := l.find()
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

// readSegments reads those after the one up to which a snapshot covers them; 0 without one.
func (l *Log) readSegments(covered, newest int, load func([]byte) error) (last ending, err error) {
	for number := covered + 1; number <= newest; number++ {
		next, err := l.readSegment(number, load)
		switch {
		case err != nil:
			return last, err
		case next.at == 0 && (last.sealed || number > 1 && number == covered+1):
			// A segment has its header before the one before it is sealed, or replaced by a snapshot.
			return last, &CorruptError{l.path(number, segmentKind), 0, "its header is missing"}
		case number == covered+1 || last.sealed:
		case next.empty() && number == newest:
			// The process died between making this segment and sealing the one before, which therefore continues.
			return last, os.Remove(l.path(number, segmentKind))
		default:
			return last, &CorruptError{l.path(last.number, segmentKind), last.at, "its end is missing"}
		}
		l.since += next.at
		last = next
	}
	if last.sealed || covered > 0 && last.number == 0 {
		return last, missing(l.path(newest+1, segmentKind))
	}
	return last, nil
}

func missing(path string) error { return fmt.Errorf("%s is missing. %s", path, whatToDo) }

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
		err = missing(path)
	}
	end.number = number
	return end, err
}
