package attr

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// ErrSyntax reports that a request is not JSON of the expected shape; the service
// answers SerializationException.
var ErrSyntax = errors.New("malformed JSON")

// Reader walks over JSON without building a tree. Strings without escapes are
// slices of the source, so reading an item allocates little.
type Reader struct {
	src  string
	pos  int
	open []Field // of the maps that are being read, so that each map is as large as its fields
}

// NewReader reads src from its beginning.
func NewReader(src string) *Reader { return &Reader{src: src} }

func (r *Reader) peek() byte {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

func (r *Reader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.pos++
	return true
}

// Object calls member for each name; member must consume the value. A null
// object has no members.
func (r *Reader) Object(member func(name string) error) error {
	if r.Null() {
		return nil
	}
	return r.parts('{', '}', func() error {
		name, err := r.Str()
		switch {
		case err != nil:
			return err
		case !r.take(':'):
			return ErrSyntax
		case r.Null():
			return nil // as the service does: null is absent
		}
		return member(name)
	})
}

// Array calls element for each element; element must consume it.
func (r *Reader) Array(element func() error) error { return r.parts('[', ']', element) }

// parts reads parts with commas between them, from the one bracket to the other.
func (r *Reader) parts(from, to byte, part func() error) error {
	if !r.take(from) {
		return ErrSyntax
	}
	for first := true; !r.take(to); first = false {
		if !first && !r.take(',') {
			return ErrSyntax
		}
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// Null consumes a null, if there is one.
func (r *Reader) Null() bool { return r.literal("null") }

func (r *Reader) literal(word string) bool {
	r.peek()
	if !strings.HasPrefix(r.src[r.pos:], word) {
		return false
	}
	r.pos += len(word)
	return true
}

// Bool reads true or false.
func (r *Reader) Bool() (bool, error) {
	switch {
	case r.literal("true"):
		return true, nil
	case r.literal("false"):
		return false, nil
	}
	return false, ErrSyntax
}

// Int reads an integer.
func (r *Reader) Int() (int, error) {
	r.peek()
	start := r.pos
	for r.pos < len(r.src) && strings.IndexByte("+-0123456789", r.src[r.pos]) >= 0 {
		r.pos++
	}
	n, err := strconv.Atoi(r.src[start:r.pos])
	if err != nil {
		return 0, ErrSyntax
	}
	return n, nil
}

// Str reads a string.
func (r *Reader) Str() (string, error) {
	if !r.take('"') {
		return "", ErrSyntax
	}
	start, escapes := r.pos, false
	for ; r.pos < len(r.src); r.pos++ {
		switch r.src[r.pos] {
		case '\\':
			r.pos++
			escapes = true
		case '"':
			r.pos++
			if escapes {
				return unescape(r.src[start-1 : r.pos])
			}
			return r.src[start : r.pos-1], nil
		}
	}
	return "", ErrSyntax
}

func unescape(quoted string) (s string, err error) {
	if json.Unmarshal([]byte(quoted), &s) != nil {
		err = ErrSyntax
	}
	return s, err
}
