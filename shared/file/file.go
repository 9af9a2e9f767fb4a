// Package file has the rules of a merchant's files and of the collections that hold them (contract §8.3): pure, without
// I/O. A file is a record, and an object with its content. Clients upload and download the object with links that are
// signed only for that object; [Objects] is the port to the store of objects.
package file

import (
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Limits (contract §8.3).
const (
	MaxFiles       = 5000             // of a merchant in one mode
	MaxCollections = 1000             // likewise, including archived ones
	MaxSize        = 25 * 1024 * 1024 // bytes
	PendingTime    = 24 * time.Hour   // a file that was not uploaded by then is dropped
	UploadTime     = 15 * time.Minute // how long an upload's link is open
	DownloadTime   = 5 * time.Minute  // how long a download's link is open
)

// Status is the status of a file.
type Status string

// The statuses of files.
const (
	Pending  Status = "pending"  // the client may upload it
	Uploaded Status = "uploaded" // its content was checked
)

// Values returns all statuses.
func (Status) Values() []string { return []string{string(Pending), string(Uploaded)} }

// File is a record of a file.
type File struct {
	ID          string          `dynamo:"id"`
	Name        string          `dynamo:"filename"`
	ContentType string          `dynamo:"content_type"` // one of ContentTypes
	Size        int64           `dynamo:"size"`         // bytes
	SHA256      string          `dynamo:"checksum_sha256,omitempty"`
	Collection  string          `dynamo:"collection_id,omitempty"`
	Metadata    member.Metadata `dynamo:"metadata,omitempty"`
	Status      Status          `dynamo:"status"`
	Object      string          `dynamo:"object"`             // key of its content
	Revision    string          `dynamo:"revision,omitempty"` // the version of the object that was checked
	CreatedAt   time.Time       `dynamo:"created_at"`
	UpdatedAt   time.Time       `dynamo:"updated_at"`
	UploadedAt  time.Time       `dynamo:"uploaded_at,omitempty"`
	Version     int             `dynamo:"version"`
}

// ID returns the id of the file that an operation makes. The same operation always gets the same id.
func ID(operation string) string { return identity.DerivedID("file_", "file\x00"+operation) }

// Given has a merchant's data of a file to upload.
type Given struct {
	Name, ContentType string
	Size              int64  // bytes
	SHA256            string // 64 hexadecimal digits; "": unknown
	Collection        string // "": none
	Metadata          member.Metadata
}

// New returns a pending file with a key of [NewKey]. Failures: Invalid content_type, filename, size or checksum_sha256.
func New(id, key string, g Given, now time.Time) (File, error) {
	if err := g.check(); err != nil {
		return File{}, err
	}
	return File{ID: id, Name: g.Name, ContentType: g.ContentType, Size: g.Size, SHA256: strings.ToLower(g.SHA256),
		Collection: g.Collection, Metadata: g.Metadata, Status: Pending, Object: key, CreatedAt: now, UpdatedAt: now}, nil
}

func (g Given) check() error {
	if err := checkType(g.ContentType); err != nil {
		return err
	}
	if err := checkName(g.Name, g.ContentType); err != nil {
		return err
	}
	if g.Size < 1 || g.Size > MaxSize {
		return failure.Invalid("size", "must be from 1 to 26214400")
	}
	if sum, err := hex.DecodeString(g.SHA256); err != nil || len(sum) != 32 && g.SHA256 != "" {
		return failure.Invalid("checksum_sha256", "must have 64 hexadecimal digits")
	}
	return nil
}

// UploadUntil returns the end of the link to upload the file's content.
func (f File) UploadUntil() time.Time { return f.CreatedAt.Add(UploadTime) }

// Complete returns the file as uploaded, after [File.Differs] found nothing. An uploaded file stays unchanged.
func (f File) Complete(seen Content, now time.Time) File {
	if f.Status == Uploaded {
		return f
	}
	f.Status, f.SHA256, f.Revision, f.UploadedAt, f.UpdatedAt = Uploaded, seen.SHA256, seen.Revision, now, now
	return f
}

// Move returns the file in the collection, or in no collection if the parameter is "". The caller checks that both
// collections allow it.
func (f File) Move(collection string, now time.Time) File {
	if f.Collection != collection {
		f.Collection, f.UpdatedAt = collection, now
	}
	return f
}

// ForAudit returns the file as audit entries show it, without the key of its object.
func (f File) ForAudit() any {
	return struct {
		Name        string          `json:"filename"`
		ContentType string          `json:"content_type"`
		Size        int64           `json:"size"`
		SHA256      string          `json:"checksum_sha256,omitempty"`
		Collection  string          `json:"collection_id,omitempty"`
		Metadata    member.Metadata `json:"metadata,omitzero"`
		Status      Status          `json:"status"`
	}{f.Name, f.ContentType, f.Size, f.SHA256, f.Collection, f.Metadata, f.Status}
}

// Types of content that files can have (contract §8.3).
const (
	PDF  = "application/pdf"
	PNG  = "image/png"
	JPEG = "image/jpeg"
	HEIC = "image/heic"
	CSV  = "text/csv"
	Text = "text/plain"
)

var extensions = map[string][]string{
	PDF: {".pdf"}, PNG: {".png"}, JPEG: {".jpg", ".jpeg"}, HEIC: {".heic", ".heif"}, CSV: {".csv"}, Text: {".txt"},
}

// ContentTypes returns the types of content that files can have, in order.
func ContentTypes() []string { return slices.Sorted(maps.Keys(extensions)) }

// maxName limits a file's name, in characters.
const maxName = 255

// checkType refuses a type of content that files cannot have. Failure: Invalid content_type.
func checkType(contentType string) error {
	if extensions[contentType] == nil {
		return failure.Invalid("content_type", "must be one of "+strings.Join(ContentTypes(), ", "))
	}
	return nil
}

// checkName refuses a name that looks like a name of another type, that has a separator of paths, or that hides a part
// of itself. Failure: Invalid filename.
func checkName(name, contentType string) error {
	invalid := func(predicate string) error { return failure.Invalid("filename", predicate) }
	extension := path.Ext(name)
	switch {
	case !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > maxName:
		return invalid("must have 1 to 255 characters")
	case strings.ContainsAny(name, reservedChars):
		return invalid("must not have any of " + reservedChars)
	case strings.ContainsFunc(name, isHidden):
		return invalid("must not have control or format characters, or blanks other than a space")
	case strings.TrimSpace(name) != name || strings.Contains(name, "  "):
		return invalid("must not begin or end with a space, or have two in a row")
	case !slices.Contains(extensions[contentType], strings.ToLower(extension)):
		return invalid("must end in " + strings.Join(extensions[contentType], " or ") + ", as the content_type says")
	case !strings.ContainsFunc(strings.TrimSuffix(name, extension), isLegible):
		return invalid("must have a letter or a digit before " + extension)
	}
	return nil
}

// reservedChars has the separators of paths, and the characters that Windows does not allow in names.
const reservedChars = `/\<>:"|?*`

// fillers has characters that look like blanks: letters of Hangul, and a symbol of Braille.
const fillers = "\u115f\u1160\u3164\uffa0\u2800"

// isHidden returns true for control and format characters. Some reverse the direction of text: "report_fdp.exe" looks
// like "report_exe.pdf". It also returns true for blanks other than a space, which can move the extension out of sight.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z) && r != ' ' || strings.ContainsRune(fillers, r)
}

func isLegible(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
