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

// Inspect reads the content of the file's object once, from beginning to end or until it has more bytes than the file.
// It does not close it. Errors: those of reading; [io.ErrUnexpectedEOF] when the content ends before the object does,
// which says nothing about the file.
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

// beginning keeps the first bytes that are written to it.
type beginning struct{ bytes.Buffer }

// Write never fails.
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

// markup is how a page begins, or a picture that may have a script in it: HTML, XML, SVG, PHP. Markup further on, after
// other text, is not looked for.
var markup = regexp.MustCompile(`^<[A-Za-z!?/]`)

// active reports whether text begins, after blanks, like one of a few programs, pages and other formats. The library
// does not say: whatever one of its many other formats recognises, by a few letters at a place of its own, it does not
// examine as text.
func active(text []byte) bool {
	return markup.Match(text) ||
		slices.ContainsFunc(starts, func(start string) bool { return bytes.HasPrefix(text, []byte(start)) })
}

// within reports whether a type is one of several, or a special form of one.
func within(m *mimetype.MIME, types ...string) bool {
	for ; m != nil; m = m.Parent() {
		for _, t := range types {
			if m.Is(t) {
				return true
			}
		}
	}
	return false
}
