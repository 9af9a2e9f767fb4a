package file

import "unicode/utf8"

// textual decides whether what is written to it is text: UTF-8 without control characters other than tab, CR and LF
// (contract §8.3). A character may come in several parts.
type textual struct {
	part [utf8.UTFMax]byte // of a character whose end has not come
	n    int               // bytes of it
	bad  bool
}

// Write never fails.
func (t *textual) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !t.bad; i++ {
		if t.n == 0 && p[i] < utf8.RuneSelf {
			t.bad = isControl(rune(p[i]))
			continue
		}
		t.part[t.n] = p[i]
		t.n++
		if utf8.FullRune(t.part[:t.n]) {
			r, size := utf8.DecodeRune(t.part[:t.n])
			t.bad = size < t.n || r == utf8.RuneError && size == 1 || isControl(r)
			t.n = 0
		}
	}
	return len(p), nil
}

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
