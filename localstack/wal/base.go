package wal

import (
	"bufio"
	"errors"
	"os"
)

// Base is a base that is being written. It is not safe for concurrent use.
type Base struct {
	log    *Log
	number int
	file   File
	out    *bufio.Writer
	size   int64
	buffer []byte
}

// Rotate begins a new journal, and a base for the state that the records so far have led to. Whoever calls it holds back
// other writers until that state is noted; it can be written down later. Until Commit the journals count.
func (l *Log) Rotate() (*Base, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.journal
	next, err := l.begin(old.number + 1)
	if err != nil {
		return nil, err
	}
	if err := old.seal(); err != nil {
		return nil, errors.Join(err, next.remove())
	}
	l.journal = next
	b := &Base{log: l, number: old.number}
	if err := errors.Join(old.file.Close(), b.create()); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Base) path() string { return b.log.path(b.number, baseKind) }

func (b *Base) create() (err error) {
	if b.file, err = b.log.open(b.path()+unfinished, os.O_CREATE|os.O_WRONLY|os.O_TRUNC); err != nil {
		return err
	}
	b.out = bufio.NewWriterSize(b.file, blockSize)
	n, err := b.out.Write(fileHeader(baseKind))
	b.size = int64(n)
	return err
}

// Append writes a record of the state. After an error the base can only be discarded.
func (b *Base) Append(payload []byte) error {
	if err := checkSize(payload); err != nil {
		return err
	}
	return b.append(payload)
}

func (b *Base) append(payload []byte) error {
	b.buffer = appendFrame(b.buffer[:0], payload)
	b.size += int64(len(b.buffer))
	_, err := b.out.Write(b.buffer)
	return err
}

// Commit puts the base in the place of the files that it covers. After an error those count, and the base is gone.
func (b *Base) Commit() error {
	err := errors.Join(b.append(nil), b.out.Flush(), b.file.Close())
	if err == nil {
		err = os.Rename(b.path()+unfinished, b.path())
	}
	if err != nil {
		return errors.Join(err, os.Remove(b.path()+unfinished))
	}
	return b.log.cover(b)
}

// Discard gives the base up.
func (b *Base) Discard() error { return errors.Join(b.file.Close(), os.Remove(b.path()+unfinished)) }

// cover removes the files that a base stands for. One that stays is never read; the next base removes it.
func (l *Log) cover(b *Base) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.baseSize, l.since = b.size, l.journal.size
	found, err := l.find()
	for _, number := range found.bases {
		if number < b.number {
			err = errors.Join(err, os.Remove(l.path(number, baseKind)))
		}
	}
	for _, number := range found.journals {
		if number <= b.number {
			err = errors.Join(err, os.Remove(l.path(number, journalKind)))
		}
	}
	return err
}
