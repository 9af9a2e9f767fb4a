package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/file"
	objects "github.com/cashwrap/cashwrap/shared/file/s3"
)

// newObjects returns an S3 engine whose links expire by the test's clock. The SDK signs its calls with the system's
// clock.
func newObjects(tb testing.TB, keys aws.Credentials, now func() time.Time) *s3.Engine {
	tb.Helper()
	engine := s3.New(s3.Config{Now: now, CallsNow: time.Now, Region: runner.Region, Credentials: keys})
	if err := engine.CreateBucket(runner.Bucket); err != nil {
		tb.Fatal(err)
	}
	return engine
}

// RefuseObjects sets which of the functions' actions at S3 fail from now on, such as GetObject. With nil no action
// fails.
func (w *World) RefuseObjects(refuse func(action string) bool) {
	if refuse == nil {
		refuse = func(string) bool { return false }
	}
	w.refuseFile.Store(&refuse)
}

// Upload tells a client how to upload a file's content.
type Upload struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// File is a file as clients see it.
type File struct {
	ID          string    `json:"id"`
	Filename    string    `json:"filename"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"checksum_sha256"`
	Collection  string    `json:"collection_id"`
	Metadata    any       `json:"metadata"`
	Status      string    `json:"status"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	UploadedAt  time.Time `json:"uploaded_at"`
	Upload      *Upload   `json:"upload"`
	DownloadURL string    `json:"download_url"`
}

// FilesPath returns the path of the shop's files.
func (s Shop) FilesPath() string { return "/v0.1/merchants/" + s.Merchant.Code + "/files" }

// CollectionsPath returns the path of the shop's collections.
func (s Shop) CollectionsPath() string { return "/v0.1/merchants/" + s.Merchant.Code + "/collections" }

// ShownFile returns the file in a response, which must have the status. It declares the signatures of the file's links
// as secrets, so that they must not leak.
func (s Shop) ShownFile(status int, got Response) File {
	s.Helper()
	f := Into[File](s, status, got)
	if f.Upload != nil {
		s.Secret("link to upload", s3.SignatureOf(f.Upload.URL))
	}
	if f.DownloadURL != "" {
		s.Secret("link to download", s3.SignatureOf(f.DownloadURL))
	}
	return f
}

// PDF is the content of a small document.
const PDF = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"

// NewFile creates a pending file for a PDF with the content. more contains further fields of the request.
func (s Shop) NewFile(content string, more map[string]any) File {
	s.Helper()
	body := map[string]any{"filename": "contract.pdf", "content_type": file.PDF, "size": len(content)}
	maps.Copy(body, more)
	return s.ShownFile(http.StatusCreated, s.Send("POST", s.FilesPath(), body))
}

// send sends a request to a link, like a browser that adds no headers. RefuseObjects does not affect the request.
func (w *World) send(method, url string, headers map[string]string, content string) (status int, header http.Header,
	body string) {
	w.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(w.Context()), method, url, bytes.NewBufferString(content))
	w.must(err)
	for name, value := range headers {
		if http.CanonicalHeaderKey(name) != "Content-Length" { // the content determines its length
			r.Header.Set(name, value)
		}
	}
	got, err := w.Objects.RoundTrip(r)
	w.must(err)
	defer got.Body.Close()
	all, err := io.ReadAll(got.Body)
	w.must(err)
	return got.StatusCode, got.Header, string(all)
}

// Put uploads content to a link, and returns the status and the body of S3's answer.
func (w *World) Put(u *Upload, content string) (status int, body string) {
	w.Helper()
	status, _, body = w.send(u.Method, u.URL, u.Headers, content)
	return status, body
}

// Get downloads the content behind a link.
func (w *World) Get(url string) (status int, header http.Header, body string) {
	w.Helper()
	return w.send(http.MethodGet, url, nil, "")
}

// CompleteFile requests the completion of a file.
func (s Shop) CompleteFile(id string) Response {
	s.Helper()
	return s.Send("PUT", s.FilesPath()+"/"+id, map[string]any{"status": "uploaded"})
}

// UploadedFile creates a file for a PDF, uploads its content and completes it.
func (s Shop) UploadedFile(content string, more map[string]any) File {
	s.Helper()
	f := s.NewFile(content, more)
	if status, body := s.Put(f.Upload, content); status != http.StatusOK {
		s.Fatalf("upload: got %d %s, want 200", status, body)
	}
	return s.ShownFile(http.StatusOK, s.CompleteFile(f.ID))
}

// Stored returns the number of stored versions of each object at S3, by the object's key.
func (w *World) Stored() map[string]int {
	w.Helper()
	objects := objects.New(w.App.AWS(w.App.S3Endpoint), runner.Bucket)
	all := map[string]int{}
	for o, err := range objects.List(context.WithoutCancel(w.Context()), file.Prefix, "") {
		w.must(err)
		all[o.Key]++
	}
	return all
}

// SHA256 returns the checksum of content, in hexadecimal.
func SHA256(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
