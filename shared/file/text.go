package file

import (
	"unicode"
	"unicode/utf8"
)

// textual decides whether what is written to it is text: UTF-8 without control characters other than tab, CR and LF
// (contract §8.3). A character may come in several parts.
type textual struct {
	part [utf8.UTFMax]byte // of a character whose end has not come
	n    int               // bytes of it
	bad  bool

	start [startSize]byte // how it begins after blanks
	begun int             // bytes of it
}

// startSize is how many bytes show whether text is something else as well.
const startSize = 8

// Write never fails.
func (t *textual) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !t.bad; i++ {
		if t.n == 0 && p[i] < utf8.RuneSelf {
			t.bad = isControl(rune(p[i]))
			t.begin(rune(p[i]))
			continue
		}
		t.part[t.n] = p[i]
		t.n++
		if utf8.FullRune(t.part[:t.n]) {
			r, size := utf8.DecodeRune(t.part[:t.n])
			t.bad = size < t.n || r == utf8.RuneError && size == 1 || isControl(r)
			t.n = 0
			t.begin(r)
		}
	}
	return len(p), nil
}

// begin notes a character of the start, unless it is one of the blanks before it: white space, and byte order marks.
func (t *textual) begin(r rune) {
	if t.begun == startSize || t.begun == 0 && (r == '\ufeff' || unicode.IsSpace(r)) {
		return
	}
	t.begun += copy(t.start[t.begun:], string(r))
}

// beginning is how the text begins after blanks, however many: its first bytes.
func (t *textual) beginning() []byte { return t.start[:t.begun] }

// ended reports whether all of it was text, and no character is cut off.
func (t *textual) ended() bool { return !t.bad && t.n == 0 }

// isControl are the control characters of ASCII and Latin 1 that text does not have.
func isControl(r rune) bool {
	switch r {
	case '\t', '\r', '\n':
		return false
	default:
		return r < 0x20 || r >= 0x7f && r < 0xa0
	}
}
