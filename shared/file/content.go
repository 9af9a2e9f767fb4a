package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// Content is what was seen of an object when its whole content was read.
type Content struct {
	Revision string // of the object
	Size     int64  // bytes
	SHA256   string // hexadecimal; "" if it has more bytes than the file
	Type     string // by the bytes: one of ContentTypes, or another if the content has none of them
	Stored   string // type with which the object is stored
	Encoding string // Content-Encoding with which it is stored; "" for none
}

// sniffed is how many bytes at the beginning show the type: the library reads as many.
const sniffed = 3072

// Inspect reads the content of the file's object once, to the end or until it has more bytes than the file; it closes
// nothing. Errors: of reading; [io.ErrUnexpectedEOF] when the content ends early, which says nothing about the file.
func (f File) Inspect(o Object) (Content, error) {
	head, sum, text := &beginning{}, sha256.New(), &textual{}
	size, err := io.Copy(io.MultiWriter(head, sum, text), io.LimitReader(o.Content, f.Size+1))
	seen := Content{Revision: o.Revision, Size: max(size, o.Size), Stored: o.ContentType, Encoding: o.Encoding}
	switch {
	case err != nil || size > f.Size:
		return seen, err
	case size < o.Size:
		return seen, io.ErrUnexpectedEOF
	}
	seen.Size, seen.SHA256 = size, hex.EncodeToString(sum.Sum(nil))
	seen.Type = typeOf(head.Bytes(), f.ContentType, text)
	return seen, nil
}

// Differs says in what the content is not that of the file, for people; "" if it is.
func (f File) Differs(seen Content) string {
	switch {
	case seen.Size != f.Size:
		return fmt.Sprintf("The content has %d bytes, not the size %d.", seen.Size, f.Size)
	case f.SHA256 != "" && seen.SHA256 != f.SHA256:
		return fmt.Sprintf("The content has the SHA-256 %s, not the checksum_sha256 %s.", seen.SHA256, f.SHA256)
	case seen.Type != f.ContentType:
		return fmt.Sprintf("The content is not of the content_type %s.", f.ContentType)
	case seen.Stored != f.ContentType:
		return fmt.Sprintf("The content was uploaded with another type than the content_type %s.", f.ContentType)
	case seen.Encoding != "": // readers would decode it to something else than what was checked
		return "The content was uploaded with a Content-Encoding."
	default:
		return ""
	}
}

type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), sniffed-b.Len())])
	return len(p), nil
}

// unknown is the type of content that has none of those allowed, or that looks like another one.
const unknown = "application/octet-stream"

// typeOf is the type of content by its first bytes, and by what the whole of it is as text.
//
// The library's answer alone is not enough. It takes for a PDF whatever has "%PDF-" within its first 1,024 bytes,
// before it looks whether that is a program for Windows or Linux. A picture of type HEIC may begin with any four bytes,
// also with the "MZ" of a program. So each format must begin as its standard says.
//
// That is all that is checked. Content may be of another format as well, as a PDF to which an archive is appended, and
// text may be a batch file, or have formulas. So it is only ever handed out with the type that was checked, as an
// attachment, under a name with the extension of that type.
func typeOf(head []byte, declared string, text *textual) string {
	library := mimetype.Detect(head)
	switch {
	case library.Is(PDF) && bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case within(library, PNG) && bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case library.Is(JPEG) && bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case within(library, HEIC, "image/heif", "image/heic-sequence", "image/heif-sequence") && beginsAsHEIC(head):
		return HEIC
	case text.ended() && !active(text.beginning()) && (declared == CSV || declared == Text):
		return declared // a CSV is text, and any text has columns
	default:
		return unknown
	}
}

// beginsAsHEIC: the first box is ftyp, of a few brands (ISO/IEC 14496-12, 4.3).
func beginsAsHEIC(head []byte) bool {
	const least, most = 16, 512
	if len(head) < least || string(head[4:8]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	return size >= least && size <= most && size%4 == 0
}

// starts are how text begins that is a program, or another format: a script, DOS or Windows, PDF, PostScript, RTF.
var starts = []string{"#!", "MZ", "%PDF-", "%!PS", `{\rtf`}

// markup begins a page, or a picture that may have a script: HTML, XML, SVG, PHP. Later markup is not looked for.
var markup = regexp.MustCompile(`^<[A-Za-z!?/]`)

// active reports whether text begins, after blanks, like one of a few programs, pages and other formats. The library
// examines as text only what none of its other formats recognises, by a few letters somewhere.
func active(text []byte) bool {
	return markup.Match(text) ||
		slices.ContainsFunc(starts, func(start string) bool { return bytes.HasPrefix(text, []byte(start)) })
}

// within reports whether a type is one of several, or a special form of one.
func within(m *mimetype.MIME, types ...string) bool {
	for ; m != nil; m = m.Parent() {
		if slices.ContainsFunc(types, m.Is) {
			return true
		}
	}
	return false
}

// textual checks text: UTF-8 without controls but tab, CR and LF (contract §8.3). Characters may come in parts.
type textual struct {
	part [utf8.UTFMax]byte // of a character whose end has not come
	n    int               // bytes of it
	bad  bool

	start [startSize]byte // how it begins after blanks
	begun int             // bytes of it
}

// startSize is how many bytes show whether text is something else as well.
const startSize = 8

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
