package platform

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/file/s3"
)

// filesOver returns a client of the bucket. Like a function, the client reaches the bucket in this process or over the
// port.
func filesOver(b *backend, client aws.HTTPClient) *s3.Bucket {
	return s3.New(aws.Config{Region: runner.Region, BaseEndpoint: &b.S3, HTTPClient: client,
		Credentials: b.Credentials()}, runner.Bucket)
}

// TestStart_KeepsFiles checks that an uploaded file survives a restart, for functions in this process and in others.
func TestStart_KeepsFiles(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	const content = "%PDF-1.7"
	b := startMemoryAt(t, place)
	receipt := file.File{Object: file.Prefix + "0123456789abcdef0123456789abcdef", ContentType: "application/pdf",
		Size: int64(len(content))}
	link, err := filesOver(b, b.http).UploadLink(t.Context(), receipt, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), link.Method, link.URL, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range link.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("got answer %v and error %v, want 200", response, err)
	}
	_ = response.Body.Close()
	if err = b.stop(); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, place, objectsDir)

	b = startMemoryAt(t, place)
	for where, client := range map[string]aws.HTTPClient{"here": b.http, "elsewhere": http.DefaultClient} {
		object, failed := filesOver(b, client).Open(t.Context(), receipt.Object)
		if failed != nil {
			t.Errorf("%s: got error %v, want the object", where, failed)
			continue
		}
		got, failed := io.ReadAll(object.Content)
		if failed != nil || string(got) != content {
			t.Errorf("%s: got %q and error %v, want %q", where, got, failed, content)
		}
		_ = object.Content.Close()
	}
	if _, err = os.Stat(filepath.Join(place.path(objectsDir), "versions")); err != nil {
		t.Errorf("got error %v, want the folder of contents", err)
	}
}
