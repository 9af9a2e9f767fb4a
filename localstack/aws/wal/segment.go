package wal

import (
	"errors"
	"os"
)

type segment struct {
	number int
	path   string
	file   File
	size   int64 // bytes that count
	dirty  bool  // there may be more in the file
	buffer []byte
}

func (l *Log) begin(number int) (*segment, error) {
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

// resume opens the newest segment, which ends as given.
func (l *Log) resume(last ending) (*segment, error) {
	if last.at < int64(fileHeaderSize) { // there is none, or its process died with the first write
		return l.begin(max(last.number, 1))
	}
	path := l.path(last.number, segmentKind)
	file, err := l.open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	s := &segment{number: last.number, path: path, file: file, size: last.at, dirty: last.torn}
	return s, s.clean()
}

// append writes a frame, or leaves the segment as it was.
func (s *segment) append(payload []byte) error {
	if err := s.clean(); err != nil {
		return err
	}
	s.buffer = appendFrame(s.buffer[:0], payload)
	if _, err := s.file.Write(s.buffer); err != nil {
		s.dirty = true
		return errors.Join(err, s.clean()) // if that fails too, the next append does it
	}
	s.size += int64(len(s.buffer))
	if cap(s.buffer) > blockSize {
		s.buffer = nil
	}
	return nil
}

// clean cuts off what a failed write has left.
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

// seal says that another segment continues this one.
func (s *segment) seal() error { return s.append(nil) }

func (s *segment) remove() error { return errors.Join(s.file.Close(), os.Remove(s.path)) }
