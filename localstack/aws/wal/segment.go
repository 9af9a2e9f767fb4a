package wal

import (
	"errors"
	"os"
)

type segment struct {
	number int
	path   string
	file   File
	size   int64 // valid bytes
	dirty  bool  // the file may have more bytes than size
	buffer []byte
}

func (l *Log) beginSegment(number int) (*segment, error) {
	path := l.path(number, segmentKind)
	file, err := l.open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(fileHeader(segmentKind)); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return &segment{number: number, path: path, file: file, size: int64(fileHeaderSize)}, nil
}

// resume opens the newest segment for appending. last is the segment's ending.
func (l *Log) resume(last ending) (*segment, error) {
	if last.at < int64(fileHeaderSize) { // no segment, or a segment whose process died during its first write
		return l.beginSegment(max(last.number, 1))
	}
	path := l.path(last.number, segmentKind)
	file, err := l.open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	s := &segment{number: last.number, path: path, file: file, size: last.at, dirty: last.torn}
	return s, s.clean()
}

// append writes a frame. If that fails, it leaves the segment unchanged.
func (s *segment) append(payload []byte) error {
	if err := s.clean(); err != nil {
		return err
	}
	s.buffer = appendFrame(s.buffer[:0], payload)
	if _, err := s.file.Write(s.buffer); err != nil {
		s.dirty = true
		return errors.Join(err, s.clean()) // if clean fails too, the next append calls clean again
	}
	s.size += int64(len(s.buffer))
	if cap(s.buffer) > blockSize {
		s.buffer = nil
	}
	return nil
}

// clean truncates the file to the valid bytes after a failed write.
func (s *segment) clean() error {
	if !s.dirty {
		return nil
	}
	if err := s.file.Truncate(s.size); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// seal marks the segment as continued by another one.
func (s *segment) seal() error { return s.append(nil) }

func (s *segment) remove() error { return errors.Join(s.file.Close(), os.Remove(s.path)) }
