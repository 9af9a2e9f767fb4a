package wal

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
)

// Snapshot is a snapshot that is being written. It is not safe for concurrent use.
type Snapshot struct {
	log    *Log
	number int // of the last segment that it covers
	file   File
	out    *bufio.Writer
	size   int64
	buffer []byte
}

// BeginSnapshot begins a new segment, and a snapshot of the state before it. The caller holds back other writers until
// that state is noted. The snapshot can be written later; until then the segments count.
func (l *Log) BeginSnapshot() (*Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.beginSnapshot()
	if err != nil {
		return nil, l.postpone(err)
	}
	return s, nil
}

func (l *Log) beginSnapshot() (*Snapshot, error) {
	old := l.segment
	next, err := l.begin(old.number + 1)
	if err != nil {
		return nil, err
	}
	if err = old.seal(); err != nil {
		return nil, errors.Join(err, next.remove())
	}
	l.segment = next
	if err = old.file.Close(); err != nil {
		return nil, err
	}
	s := &Snapshot{log: l, number: old.number, size: int64(fileHeaderSize)}
	if s.file, err = l.open(s.path()+unfinished, os.O_CREATE|os.O_WRONLY|os.O_TRUNC); err != nil {
		return nil, err
	}
	s.out = bufio.NewWriterSize(s.file, blockSize)
	return s, nil
}

// postpone lets segments grow before the next snapshot is tried. Callers hold mu.
func (l *Log) postpone(err error) error {
	l.dueAt = l.since + l.snapshotAfter
	return fmt.Errorf("no snapshot was written of the log %s, so it keeps growing: %w", l.name, err)
}

func (s *Snapshot) path() string { return s.log.path(s.number, snapshotKind) }

// Write writes the state and replaces the covered segments. After an error they count, and it is removed.
func (s *Snapshot) Write(records iter.Seq[[]byte]) error {
	err := s.write(records)
	if err = errors.Join(err, s.file.Close()); err == nil {
		err = os.Rename(s.path()+unfinished, s.path())
	}
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if err != nil {
		return s.log.postpone(errors.Join(err, os.Remove(s.path()+unfinished)))
	}
	return s.log.cover(s)
}

func (s *Snapshot) write(records iter.Seq[[]byte]) error {
	if _, err := s.out.Write(fileHeader(snapshotKind)); err != nil {
		return err
	}
	for record := range records {
		if err := check(record); err != nil {
			return err
		}
		if err := s.append(record); err != nil {
			return err
		}
	}
	return errors.Join(s.append(nil), s.out.Flush())
}

func (s *Snapshot) append(payload []byte) error {
	s.buffer = appendFrame(s.buffer[:0], payload)
	s.size += int64(len(s.buffer))
	_, err := s.out.Write(s.buffer)
	return err
}

// cover removes the files that a snapshot replaces. Leftovers are never read; the next snapshot removes them.
func (l *Log) cover(s *Snapshot) error {
	l.snapshotSize, l.since, l.dueAt = s.size, l.segment.size, 0
	found, err := l.find()
	for _, number := range found.snapshots {
		if number < s.number {
			err = errors.Join(err, os.Remove(l.path(number, snapshotKind)))
		}
	}
	for _, number := range found.segments {
		if number <= s.number {
			err = errors.Join(err, os.Remove(l.path(number, segmentKind)))
		}
	}
	return err
}
