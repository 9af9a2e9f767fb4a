package files

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type filePath struct {
	ID string `path:"file_id"`
}

type listFilesRequest struct {
	rest.Paging
	Collection string      `query:"collection_id"`
	Status     file.Status `query:"status"`
}

// listFiles lists the tenant's files in order of creation, without links.
func (f family) listFiles(ctx context.Context, req listFilesRequest) (rest.Listing[fileView], error) {
	offset, limit := req.Page()
	page, total, err := f.store.Files(ctx, rest.Caller(ctx).Tenant,
		store.FileFilter{Status: req.Status, Collection: req.Collection}, offset, limit)
	return rest.ListingOf(page, total, viewFile), err
}

type createFileRequest struct {
	Name        string          `json:"filename" validate:"required text=255"`
	ContentType string          `json:"content_type" validate:"required one-of=application/pdf|image/png|image/jpeg|image/heic|text/csv|text/plain"` //nolint:lll // a tag is one line
	Size        *int64          `json:"size" validate:"required min=1 max=26214400"`
	SHA256      string          `json:"checksum_sha256" validate:"pattern=^([0-9a-fA-F]{64})?$"`
	Collection  string          `json:"collection_id"`
	Metadata    member.Metadata `json:"metadata"`
}

// createFile creates a pending file, with the link to upload its content. If an interrupted request is repeated under
// its Idempotency-Key, it returns the file that the first request created. The link is included as long as it is valid.
func (f family) createFile(ctx context.Context, req createFileRequest) (fileView, error) {
	given := file.Given{Name: req.Name, ContentType: req.ContentType, Size: *req.Size, SHA256: req.SHA256,
		Collection: req.Collection, Metadata: req.Metadata}
	one, err := file.New(file.ID(rest.OperationID(ctx)), file.NewKey(), given, f.store.Now())
	if err == nil {
		one, err = f.store.CreateFile(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, one)
	}
	if err != nil {
		return fileView{}, err
	}
	v := viewFile(one)
	v.Upload, err = f.signUpload(ctx, one)
	return v, err
}

// signUpload returns the link to upload the file's content. Once the upload time is over, it returns nil. It signs with
// the time of the file's creation, so that the link is always the same and ends at the time in the object's entry.
func (f family) signUpload(ctx context.Context, one file.File) (*uploadView, error) {
	now, wallNow := f.store.Now(), f.wallNow()
	if one.Status != file.Pending || !now.Before(one.UploadUntil()) {
		return nil, nil
	}
	link, err := f.objects.UploadLink(ctx, one, wallNow.Add(one.CreatedAt.Sub(now)))
	if err != nil {
		return nil, err
	}
	return &uploadView{Method: link.Method, URL: link.URL, Headers: link.Headers,
		ExpiresAt: rest.Timestamp(link.Until.Add(now.Sub(wallNow)))}, nil
}

// retrieveFile returns a file, with a link to its content once the content was checked.
func (f family) retrieveFile(ctx context.Context, req filePath) (fileView, error) {
	one, err := f.store.File(ctx, rest.Caller(ctx).Tenant, req.ID)
	if err != nil {
		return fileView{}, err
	}
	v := viewFile(one)
	if one.Status == file.Uploaded {
		var link file.Link
		link, err = f.objects.DownloadLink(ctx, one, f.wallNow())
		v.DownloadURL = link.URL
	}
	return v, err
}

// deleteFile deletes a file and its content. It may be repeated.
func (f family) deleteFile(ctx context.Context, req filePath) (rest.NoContent, error) {
	one, err := f.store.DeleteFile(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID, rest.OperationID(ctx))
	if err == nil {
		f.deleteNow(ctx, one)
	}
	return rest.NoContent{}, err
}

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
	DownloadURL string          `json:"download_url,omitempty"` // only of an uploaded file, from retrieveFile
}

// uploadView is the request that uploads a file's content.
type uploadView struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt rest.Timestamp    `json:"expires_at"`
}

// Redacted returns the file without its links, for the replay of its creation. Anyone with a link could use it.
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
