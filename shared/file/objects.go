package file

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Objects keeps the content of files, each under a key. Anyone with a link can upload or download one object until the
// link ends. Package s3 implements Objects with Amazon S3. Only the function named files imports package s3.
//
// The object under a key is uploaded once, and never replaced. A key can have several versions only if the object was
// deleted before its link ended, and a client then used the link again.
type Objects interface {
	// UploadLink signs the upload of the object f.Object with its size, its content type and, if known, its checksum.
	// Nothing else can be uploaded with the link. A client may add headers that are not signed, such as
	// Content-Encoding; [File.Differs] refuses that header. now is the real time, by which the storage checks if the
	// link has ended. In a local run the platform's clock may show another time.
	UploadLink(ctx context.Context, f File, now time.Time) (Link, error)
	// DownloadLink signs the download of the version f.Revision of f.Object, as an attachment with the file's name and
	// content type. The headers of the upload have no effect: no client decodes or keeps the content.
	DownloadLink(ctx context.Context, f File, now time.Time) (Link, error)
	// Open reads the latest version. The caller closes its content. Error: ErrNoObject.
	Open(ctx context.Context, key string) (Object, error)
	// Delete deletes every version. It succeeds if there is none.
	Delete(ctx context.Context, key string) error
	// List walks, in the order of keys, all versions whose keys begin with prefix and are greater than the parameter
	// after.
	List(ctx context.Context, prefix, after string) iter.Seq2[Listed, error]
}

// Prefix is the beginning of each object's key. The function's role reaches no other keys.
const Prefix = "files/"

// ErrNoObject reports that no object is stored under a key.
var ErrNoObject = errors.New("file: no such object")

// Link is a request that anyone can make until its time is over.
type Link struct {
	Method  string
	URL     string
	Headers map[string]string // headers to send, by name in lower case; an upload's headers include content-length
	Until   time.Time
}

// Object is a version of an object with its content.
type Object struct {
	Revision    string
	Size        int64 // bytes
	ContentType string
	Encoding    string // Content-Encoding of the upload; "" for none
	Content     io.ReadCloser
}

// Listed is a version of an object in a list.
type Listed struct {
	Key      string
	Revision string
	Size     int64 // bytes; 0 for a mark of a deletion
	Deletion bool  // the version only marks a deletion
	StoredAt time.Time
}
