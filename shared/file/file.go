// Package file has the rules of a merchant's files and of the collections that hold them (contract §8.3): pure,
// without I/O. A file is a record, and an object with its content. Clients upload and download the object themselves,
// by links that are signed for it alone; [Objects] is the port to where objects are kept.
package file

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/member"
)

// The limits (contract §8.3).
const (
	MaxFiles       = 5000             // of a merchant in one mode
	MaxCollections = 1000             // likewise, archived ones too
	MaxSize        = 25 * 1024 * 1024 // bytes
	PendingTime    = 24 * time.Hour   // after which a file that was not uploaded is dropped
	UploadTime     = 15 * time.Minute // for which an upload's link is open
	DownloadTime   = 5 * time.Minute  // for which a download's link is open
)

// Status is how far a file is.
type Status string

// The statuses of files.
const (
	Pending  Status = "pending"  // the client may upload it
	Uploaded Status = "uploaded" // its content was checked
)

// File is a record of a file.
type File struct {
	ID          string          `dynamo:"id"`
	Name        string          `dynamo:"filename"`
	ContentType string          `dynamo:"content_type"` // one of those allowed
	Size        int64           `dynamo:"size"`         // bytes
	SHA256      string          `dynamo:"checksum_sha256,omitempty"`
	Collection  string          `dynamo:"collection_id,omitempty"`
	Metadata    member.Metadata `dynamo:"metadata,omitempty"`
	Status      Status          `dynamo:"status"`
	Object      string          `dynamo:"object"`               // key of its content
	ObjectRev   string          `dynamo:"object_rev,omitempty"` // the version of the object that was checked
	CreatedAt   time.Time       `dynamo:"created_at"`
	UpdatedAt   time.Time       `dynamo:"updated_at"`
	UploadedAt  time.Time       `dynamo:"uploaded_at,omitempty"`
	Version     int             `dynamo:"version"`
}

// CollectionStatus is what may happen to a collection.
type CollectionStatus string

// The statuses of collections.
const (
	Open     CollectionStatus = "open"
	Closed   CollectionStatus = "closed"   // takes no files
	Archived CollectionStatus = "archived" // final; takes no change
)

// Collection holds files.
type Collection struct {
	ID          string           `dynamo:"id"`
	Name        string           `dynamo:"name"`
	Description string           `dynamo:"description,omitempty"`
	Metadata    member.Metadata  `dynamo:"metadata,omitempty"`
	Status      CollectionStatus `dynamo:"status"`
	Files       int              `dynamo:"files_count"`
	CreatedAt   time.Time        `dynamo:"created_at"`
	UpdatedAt   time.Time        `dynamo:"updated_at"`
	Version     int              `dynamo:"version"`
}
