package file

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Objects keeps the content of files, each under a key. Whoever has a link can upload or download one object until
// the link's time is over. Package s3 is Amazon's; only the function files links it.
//
// A key is uploaded once, never replaced. Several versions exist only after a deletion and an upload by an open link.
type Objects interface {
	// UploadLink signs the upload of the object f.Object: with its size, its content type and, if it is known, its
	// checksum. Nothing else can be uploaded by it. Headers that are not signed may come with it, such as a
	// Content-Encoding: [File.Differs] refuses that one. now is what the clocks of others show.
	UploadLink(ctx context.Context, f File, now time.Time) (Link, error)
	// DownloadLink signs the download of the version f.Revision of f.Object, as an attachment with the file's name and
	// content type, that nobody decodes or keeps, whatever headers it was uploaded with.
	DownloadLink(ctx context.Context, f File, now time.Time) (Link, error)
	// Open reads the latest version. The caller closes its content. Error: ErrNoObject.
	Open(ctx context.Context, key string) (Object, error)
	// Delete deletes every version. That there is none is no error.
	Delete(ctx context.Context, key string) error
	// List walks all versions whose keys begin with the prefix and are after another key, in the order of keys.
	List(ctx context.Context, prefix, after string) iter.Seq2[Listed, error]
}

// Prefix begins the keys of all objects. The function's role reaches no others.
const Prefix = "files/"

// ErrNoObject reports that there is no object under a key.
var ErrNoObject = errors.New("file: no such object")

// Link is a request that anybody can make until its time is over.
type Link struct {
	Method  string
	URL     string
	Headers map[string]string // that must be sent with it, by names in lower case, an upload's content-length among them
	Until   time.Time
}

// Object is a version of an object with its content.
type Object struct {
	Revision    string
	Size        int64 // bytes
	ContentType string
	Encoding    string // Content-Encoding with which it was uploaded; "" for none
	Content     io.ReadCloser
}

// Listed is a version of an object in a list.
type Listed struct {
	Key      string
	Revision string
	Size     int64 // bytes; 0 of one that only marks a deletion
	Deletion bool  // it only marks a deletion
	StoredAt time.Time
}
