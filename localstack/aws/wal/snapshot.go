package wal

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
)

// Snapshot writes one snapshot. It is not safe for concurrent use.
type Snapshot struct {
	log    *Log
	number int // number of the last covered segment
	file   File
	out    *bufio.Writer
	size   int64
	buffer []byte
}

// BeginSnapshot starts a new segment, and a snapshot of the state before that segment. The caller must hold back other
// writers until it has copied that state. Write may follow later; until then Open reads the old segments.
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
	next, err := l.beginSegment(old.number + 1)
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

// postpone delays the next snapshot until the segments have grown again. Callers hold mu.
func (l *Log) postpone(err error) error {
	l.dueAt = l.since + l.snapshotAfter
	return fmt.Errorf("no snapshot was written of the log %s, so it keeps growing: %w", l.name, err)
}

func (s *Snapshot) path() string { return s.log.path(s.number, snapshotKind) }

// Write writes the state and removes the covered segments. If it fails, it removes the snapshot and keeps the segments.
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
		if err := checkPayload(record); err != nil {
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

// cover removes the files that a snapshot replaces. Open ignores leftovers, and the next snapshot removes them.
func (l *Log) cover(s *Snapshot) error {
	l.snapshotSize, l.since, l.dueAt = s.size, l.segment.size, 0
	found, err := l.findFiles()
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
