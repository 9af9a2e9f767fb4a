package files

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// collectionView is a collection in a response (contract §8.3).
type collectionView struct {
	ID          string                `json:"id"`
	Name        string                `json:"name"`
	Description string                `json:"description,omitempty"`
	Metadata    member.Metadata       `json:"metadata,omitempty"`
	Status      file.CollectionStatus `json:"status"`
	Files       int                   `json:"files_count"`
	CreatedAt   rest.Timestamp        `json:"created_at"`
	UpdatedAt   rest.Timestamp        `json:"updated_at"`
}

func viewCollection(c file.Collection) collectionView {
	return collectionView{ID: c.ID, Name: c.Name, Description: c.Description, Metadata: c.Metadata, Status: c.Status,
		Files: c.Files, CreatedAt: rest.Timestamp(c.CreatedAt), UpdatedAt: rest.Timestamp(c.UpdatedAt)}
}

// fileView is a file in a response (contract §8.3).
type fileView struct {
	ID          string          `json:"id"`
	Name        string          `json:"filename"`
	ContentType string          `json:"content_type"`
	Size        int64           `json:"size"`
	SHA256      string          `json:"checksum_sha256,omitempty"`
	Collection  string          `json:"collection_id,omitempty"`
	Metadata    member.Metadata `json:"metadata,omitempty"`
	Status      file.Status     `json:"status"`
	CreatedAt   rest.Timestamp  `json:"created_at"`
	UpdatedAt   rest.Timestamp  `json:"updated_at"`
	UploadedAt  *rest.Timestamp `json:"uploaded_at,omitempty"`
	Upload      *uploadView     `json:"upload,omitempty"`       // only of a new file
	DownloadURL string          `json:"download_url,omitempty"` // only of an uploaded one that is read
}

// uploadView is the request that uploads a file's content.
type uploadView struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt rest.Timestamp    `json:"expires_at"`
}

// Redacted is the file without its links, for the replay of its creation: whoever has one can use it.
func (v fileView) Redacted() any {
	v.Upload, v.DownloadURL = nil, ""
	return v
}

func viewFile(f file.File) fileView {
	v := fileView{ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, SHA256: f.SHA256,
		Collection: f.Collection, Metadata: f.Metadata, Status: f.Status, CreatedAt: rest.Timestamp(f.CreatedAt),
		UpdatedAt: rest.Timestamp(f.UpdatedAt)}
	if !f.UploadedAt.IsZero() {
		at := rest.Timestamp(f.UploadedAt)
		v.UploadedAt = &at
	}
	return v
}

func viewUpload(l file.Link, until time.Time) *uploadView {
	return &uploadView{Method: l.Method, URL: l.URL, Headers: l.Headers, ExpiresAt: rest.Timestamp(until)}
}
