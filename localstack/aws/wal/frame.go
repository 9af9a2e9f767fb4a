package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

const (
	headerSize = 12 // bytes before a frame's payload
	// blockSize is the number of bytes per read. A payload in use keeps its whole block in memory.
	blockSize = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func fileHeader(kind string) []byte { return fmt.Appendf(nil, "cashwrap wal 1 %-8s\n", kind) }

var fileHeaderSize = len(fileHeader(snapshotKind))

func appendFrame(dst, payload []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(payload, castagnoli))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	return append(dst, payload...)
}

func readFile(path, kind string, load func([]byte) error) (ending, error) {
	f, err := os.Open(path)
	if err != nil {
		return ending{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ending{}, err
	}
	r := &reader{file: f, path: path, size: info.Size()}
	switch head, err := r.take(fileHeaderSize); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ending{torn: true}, nil
	case err != nil:
		return ending{}, err
	case !bytes.Equal(head, fileHeader(kind)):
		return ending{}, r.newError("its header is not one that this program writes")
	}
	for {
		r.frame = r.at
		payload, err := r.readFrame()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return ending{at: r.frame, torn: errors.Is(err, io.ErrUnexpectedEOF)}, nil
		case err != nil:
			return ending{}, err
		case len(payload) == 0:
			return r.checkSealed()
		case bytes.Equal(payload, probe):
			continue
		}
		if err := load(payload); err != nil {
			return ending{}, r.newError(err.Error())
		}
	}
}

type reader struct {
	file  *os.File
	path  string
	size  int64  // size of the file
	rest  []byte // bytes read but not taken
	at    int64  // offset of rest
	frame int64  // offset of the current frame
}

func (r *reader) newError(problem string) error { return &CorruptError{r.path, r.frame, problem} }

// take returns the next n bytes. It returns io.EOF if no byte is left, io.ErrUnexpectedEOF if fewer than n bytes are
// left, or the disk's error.
func (r *reader) take(n int) ([]byte, error) {
	if len(r.rest) < n {
		block := make([]byte, max(min(blockSize, r.size-r.at), int64(n)))
		had := copy(block, r.rest)
		read, err := io.ReadAtLeast(r.file, block[had:], n-had)
		r.rest = block[:had+read]
		if errors.Is(err, io.EOF) && had > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	taken := r.rest[:n:n]
	r.rest, r.at = r.rest[n:], r.at+int64(n)
	return taken, nil
}

func (r *reader) readFrame() ([]byte, error) {
	head, err := r.take(headerSize)
	if err != nil {
		return nil, err
	}
	length, sum := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if crc32.Checksum(head[:8], castagnoli) != binary.LittleEndian.Uint32(head[8:]) || length > MaxPayload {
		return nil, r.newError("the header of a record does not match its checksum")
	}
	if length == 0 {
		return nil, nil
	}
	payload, err := r.take(int(length))
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err == nil && crc32.Checksum(payload, castagnoli) != sum:
		return nil, r.newError("a record does not match its checksum")
	}
	return payload, err
}

// checkSealed returns the ending after the last frame. It fails if anything follows that frame.
func (r *reader) checkSealed() (ending, error) {
	end := ending{at: r.at, sealed: true}
	r.frame = r.at
	if _, err := r.take(1); !errors.Is(err, io.EOF) {
		return end, errors.Join(r.newError("something follows its end"), err)
	}
	return end, nil
}
