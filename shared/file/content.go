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

// Content describes an object whose whole content was read.
type Content struct {
	Revision string // revision of the object
	Size     int64  // bytes
	SHA256   string // hexadecimal; "" if the content is longer than the file
	Type     string // type that the bytes show: one of ContentTypes, else unknownType
	Stored   string // type that the object is stored with
	Encoding string // Content-Encoding that the object is stored with; "" for none
}

// sniffSize is the number of bytes at the beginning that show the type. The library reads the same number.
const sniffSize = 3072

// Inspect reads the content of the file's object once, until it ends or is longer than the file. It does not close the
// content. Errors: those of reading; [io.ErrUnexpectedEOF] when the content ends early, which proves nothing about the
// file.
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

// Differs describes for people how the content differs from the file. It returns "" if nothing differs.
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
	case seen.Encoding != "": // readers would decode it to other content than was checked
		return "The content was uploaded with a Content-Encoding."
	default:
		return ""
	}
}

type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), sniffSize-b.Len())])
	return len(p), nil
}

// unknownType is the type of content that has none of the allowed types, or looks like another format.
const unknownType = "application/octet-stream"

// typeOf returns the type of content by its first bytes, and by all of its text.
//
// The library's answer is not enough. It takes any content with "%PDF-" in the first 1,024 bytes for a PDF, before it
// looks for a program for Windows or Linux. A HEIC picture may begin with any four bytes, also with the "MZ" of a
// program. So each format must begin as its standard requires.
//
// Nothing more is checked. Content may have another format as well, such as a PDF with an appended archive, and text
// may be a batch file or have formulas. So content is only handed out with the checked type, as an attachment, under a
// name with the extension of that type.
func typeOf(head []byte, declared string, text *textual) string {
	library := mimetype.Detect(head)
	switch {
	case library.Is(PDF) && bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case isOneOf(library, PNG) && bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case library.Is(JPEG) && bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case isOneOf(library, HEIC, "image/heif", "image/heic-sequence", "image/heif-sequence") && isHEIC(head):
		return HEIC
	case text.isComplete() && !isActive(text.firstBytes()) && (declared == CSV || declared == Text):
		return declared // CSV is text, and any text has columns
	default:
		return unknownType
	}
}

// isHEIC returns true if the first box is ftyp, with a few brands (ISO/IEC 14496-12, 4.3).
func isHEIC(head []byte) bool {
	const least, most = 16, 512
	if len(head) < least || string(head[4:8]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	return size >= least && size <= most && size%4 == 0
}

// otherStarts has the first bytes of other formats that text may look like: script, DOS or Windows program, PDF,
// PostScript, RTF.
var otherStarts = []string{"#!", "MZ", "%PDF-", "%!PS", `{\rtf`}

// markup matches the start of a page, or of a picture that may have a script: HTML, XML, SVG, PHP. The rest of the text
// does not matter.
var markup = regexp.MustCompile(`^<[A-Za-z!?/]`)

// isActive returns true if text begins, after blanks, like a program, a page or another format. The library's answer is
// not enough: a few letters somewhere in the text may make the library recognise another format. The library then does
// not examine the content as text.
func isActive(text []byte) bool {
	return markup.Match(text) ||
		slices.ContainsFunc(otherStarts, func(start string) bool { return bytes.HasPrefix(text, []byte(start)) })
}

// isOneOf returns true if a type is one of several types, or a special form of one of them.
func isOneOf(m *mimetype.MIME, types ...string) bool {
	for ; m != nil; m = m.Parent() {
		if slices.ContainsFunc(types, m.Is) {
			return true
		}
	}
	return false
}

// textual checks that content is text: UTF-8 without controls except tab, CR and LF (contract §8.3). A character may
// come in several parts.
type textual struct {
	part [utf8.UTFMax]byte // bytes of a character that is not complete
	n    int               // bytes in part
	bad  bool

	start [startSize]byte // first bytes after blanks
	begun int             // bytes in start
}

// startSize is the number of bytes that show if text is another format as well.
const startSize = 8

func (t *textual) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !t.bad; i++ {
		if t.n == 0 && p[i] < utf8.RuneSelf {
			t.bad = isControl(rune(p[i]))
			t.noteStart(rune(p[i]))
			continue
		}
		t.part[t.n] = p[i]
		t.n++
		if utf8.FullRune(t.part[:t.n]) {
			r, size := utf8.DecodeRune(t.part[:t.n])
			t.bad = size < t.n || r == utf8.RuneError && size == 1 || isControl(r)
			t.n = 0
			t.noteStart(r)
		}
	}
	return len(p), nil
}

// noteStart adds a character to the start. It leaves out blanks before the first other character: white space, or a
// byte order mark.
func (t *textual) noteStart(r rune) {
	if t.begun == startSize || t.begun == 0 && (r == '\ufeff' || unicode.IsSpace(r)) {
		return
	}
	t.begun += copy(t.start[t.begun:], string(r))
}

// firstBytes returns the first bytes of the text after blanks.
func (t *textual) firstBytes() []byte { return t.start[:t.begun] }

// isComplete returns true if all content was text, and no character is cut off.
func (t *textual) isComplete() bool { return !t.bad && t.n == 0 }

// isControl returns true for the control characters of ASCII and Latin 1 that a text must not have.
func isControl(r rune) bool {
	switch r {
	case '\t', '\r', '\n':
		return false
	default:
		return r < 0x20 || r >= 0x7f && r < 0xa0
	}
}
