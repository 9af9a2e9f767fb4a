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
	baseKind    = "base"
	journalKind = "log"
	unfinished  = ".new" // behind the name of a base that is being written
)

// files are the numbers of what a folder holds of a log, ascending.
type files struct{ bases, journals []int }

// Exists says the folder holds a log of that name that has been opened before.
func Exists(dir, name string) (bool, error) {
	l := &Log{dir: dir, name: name}
	found, err := l.find()
	if err != nil || len(found.bases) > 0 || len(found.journals) != 1 {
		return len(found.bases)+len(found.journals) > 0, err
	}
	// The only journal has no header when its process died with the first write.
	info, err := os.Stat(l.path(found.journals[0], journalKind))
	return err == nil && info.Size() >= int64(fileHeaderSize), err
}

// find lists the log's files and removes the base that a process left unfinished.
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
		case kind == baseKind:
			found.bases = append(found.bases, number)
		case kind == journalKind:
			found.journals = append(found.journals, number)
		case kind == baseKind+unfinished:
			if err := os.Remove(filepath.Join(l.dir, entry.Name())); err != nil {
				return found, err
			}
		}
	}
	slices.Sort(found.bases)
	slices.Sort(found.journals)
	return found, nil
}

// ending is how a file ends.
type ending struct {
	number int
	at     int64 // behind the last whole frame
	sealed bool  // by a frame without payload
	torn   bool  // within a frame, or within the header
}

// empty says the file holds no record.
func (e ending) empty() bool { return e.at <= int64(fileHeaderSize) }

// read hands every record to load. It returns how the newest journal ends; the zero ending when there is none yet.
func (l *Log) read(load func([]byte) error) (last ending, err error) {
	found, err := l.find()
	if err != nil {
		return last, err
	}
	based := 0
	if n := len(found.bases); n > 0 {
		based = found.bases[n-1]
		if err := l.readBase(based, load); err != nil {
			return last, err
		}
	}
	newest := based
	if n := len(found.journals); n > 0 {
		newest = max(newest, found.journals[n-1])
	}
	for number := based + 1; number <= newest; number++ {
		next, err := l.readJournal(number, load)
		switch {
		case err != nil:
			return last, err
		case next.at == 0 && (last.sealed || number > 1 && number == based+1):
			// A journal has its header before the one before is sealed, or replaced by a base.
			return last, &Damaged{l.path(number, journalKind), 0, "its header is missing"}
		case number == based+1 || last.sealed:
		case next.empty() && number == newest:
			// The process died between making this journal and sealing the one before, which goes on.
			return last, os.Remove(l.path(number, journalKind))
		default:
			return last, &Damaged{l.path(last.number, journalKind), last.at, "its end is missing"}
		}
		l.since += next.at
		last = next
	}
	if last.sealed || based > 0 && last.number == 0 {
		return last, missing(l.path(newest+1, journalKind))
	}
	return last, nil
}

func missing(path string) error { return fmt.Errorf("%s is missing. %s", path, whatToDo) }

func (l *Log) readBase(number int, load func([]byte) error) error {
	path := l.path(number, baseKind)
	end, err := readFile(path, baseKind, load)
	if err == nil && !end.sealed {
		err = &Damaged{path, end.at, "its end is missing"}
	}
	l.baseSize = end.at
	return err
}

func (l *Log) readJournal(number int, load func([]byte) error) (ending, error) {
	path := l.path(number, journalKind)
	end, err := readFile(path, journalKind, load)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(path)
	}
	end.number = number
	return end, err
}
