package wal

import (
	"errors"
	"os"
)

// journal is a file that records are appended to.
type journal struct {
	number int
	path   string
	file   File
	size   int64 // bytes that count
	dirty  bool  // there may be more in the file
	buffer []byte
}

// begin makes the journal of a number.
func (l *Log) begin(number int) (*journal, error) {
	path := l.path(number, journalKind)
	file, err := l.open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(fileHeader(journalKind)); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return &journal{number: number, path: path, file: file, size: int64(fileHeaderSize)}, nil
}

// resume opens the newest journal, which ends as given.
func (l *Log) resume(last ending) (*journal, error) {
	if last.at < int64(fileHeaderSize) { // there is none, or its process died with the first write
		return l.begin(max(last.number, 1))
	}
	path := l.path(last.number, journalKind)
	file, err := l.open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	j := &journal{number: last.number, path: path, file: file, size: last.at, dirty: last.torn}
	return j, j.clean()
}

// append writes a frame, or leaves the journal as it was.
func (j *journal) append(payload []byte) error {
	if err := j.clean(); err != nil {
		return err
	}
	j.buffer = appendFrame(j.buffer[:0], payload)
	if _, err := j.file.Write(j.buffer); err != nil {
		j.dirty = true
		return errors.Join(err, j.clean()) // if that fails too, the next append does it
	}
	j.size += int64(len(j.buffer))
	if cap(j.buffer) > blockSize {
		j.buffer = nil
	}
	return nil
}

// clean cuts off what a failed write has left.
func (j *journal) clean() error {
	if !j.dirty {
		return nil
	}
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	j.dirty = false
	return nil
}

// seal says that another journal continues this one.
func (j *journal) seal() error { return j.append(nil) }

func (j *journal) remove() error { return errors.Join(j.file.Close(), os.Remove(j.path)) }
