package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_s3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/shared/file"
	file_s3 "github.com/cashwrap/cashwrap/shared/file/s3"
)

var local = aws.Credentials{AccessKeyID: "local", SecretAccessKey: "secret"}

// store is a bucket of an engine, with the platform's client and the SDK's.
type store struct {
	*file_s3.Bucket
	api    *aws_s3.Client
	http   http.RoundTripper
	bucket string
	now    func() time.Time
	t      *testing.T
}

func pathStyle(o *aws_s3.Options) { o.UsePathStyle = true }

// config returns the SDK's configuration for an endpoint.
func config(endpoint string, sender http.RoundTripper, by aws.Credentials) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: &http.Client{Transport: sender},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return by, nil }),
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
	}
}

func newStore(t *testing.T, endpoint string, sender http.RoundTripper, bucket string, now func() time.Time) store {
	t.Helper()
	c := config(endpoint, sender, local)
	s := store{file_s3.New(c, bucket), aws_s3.NewFromConfig(c, pathStyle), sender,
		bucket, now, t}
	if _, err := s.api.CreateBucket(t.Context(), &aws_s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	return s
}

func inMemory(t *testing.T) store {
	t.Helper()
	return newStore(t, "http://s3.test", s3.New(s3.Config{Credentials: local}), "files", time.Now)
}

// receipt returns a file with the given content.
func receipt(key, content string) file.File {
	return file.File{Object: key, Name: "receipt.pdf", ContentType: "application/pdf", Size: int64(len(content)),
		SHA256: sum(content)}
}

func sum(content string) string {
	hash := sha256.Sum256([]byte(content))
	return hex.EncodeToString(hash[:])
}

func (s store) uploadLink(f file.File) file.Link {
	s.t.Helper()
	link, err := s.UploadLink(s.t.Context(), f, s.now())
	if err != nil {
		s.t.Fatal(err)
	}
	return link
}

func (s store) downloadLink(f file.File) file.Link {
	s.t.Helper()
	link, err := s.DownloadLink(s.t.Context(), f, s.now())
	if err != nil {
		s.t.Fatal(err)
	}
	return link
}

// answer is the response to a user of a link.
type answer struct {
	status int
	header http.Header
	body   string
}

// use sends a link's request after a change.
func (s store) use(link file.Link, content string, change func(*http.Request)) answer {
	s.t.Helper()
	var body io.Reader
	if link.Method == http.MethodPut {
		body = strings.NewReader(content)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), link.Method, link.URL, body)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range link.Headers {
		r.Header.Set(name, value)
	}
	if change != nil {
		change(r)
	}
	res, err := s.http.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(got)}
}

// outcome returns the answer's status, and the code of an error.
func (s store) outcome(link file.Link, content string, change func(*http.Request)) string {
	s.t.Helper()
	got := s.use(link, content, change)
	if got.status < http.StatusBadRequest {
		return fmt.Sprint(got.status)
	}
	var e struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}
	if err := xml.Unmarshal([]byte(got.body), &e); err != nil {
		return fmt.Sprint(got.status, " ", err)
	}
	return fmt.Sprint(got.status, " ", e.Code)
}

// put uploads content by a link.
func (s store) put(key, content string) {
	s.t.Helper()
	if got := s.outcome(s.uploadLink(receipt(key, content)), content, nil); got != "200" {
		s.t.Fatalf("upload of %s: got %s, want 200", key, got)
	}
}

// latestContent returns the latest version, or "none".
func (s store) latestContent(key string) (content, revision string) {
	s.t.Helper()
	o, err := s.Open(s.t.Context(), key)
	if errors.Is(err, file.ErrNoObject) {
		return "none", ""
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer o.Content.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(o.Content); err != nil {
		s.t.Fatal(err)
	}
	if int64(b.Len()) != o.Size {
		s.t.Errorf("%s: got a size of %d, want that of the content %d", key, o.Size, b.Len())
	}
	return b.String() + " " + o.ContentType, o.Revision
}

// markDeleted marks a key as deleted, which the platform never does.
func (s store) markDeleted(key string) {
	s.t.Helper()
	if _, err := s.api.DeleteObject(s.t.Context(), &aws_s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}); err != nil {
		s.t.Fatal(err)
	}
}

func (s store) remove(key string) {
	s.t.Helper()
	if err := s.Delete(s.t.Context(), key); err != nil {
		s.t.Fatal(err)
	}
}

// listKeys returns the keys with a prefix, each with the size of its version, or "-".
func (s store) listKeys(prefix, after string) (all []string) {
	s.t.Helper()
	for one, err := range s.List(s.t.Context(), prefix, after) {
		switch {
		case err != nil:
			s.t.Fatal(err)
		case one.Revision == "" || one.StoredAt.IsZero():
			s.t.Errorf("got %+v, want a revision and a time", one)
		case one.Deletion:
			all = append(all, one.Key+" -")
		default:
			all = append(all, fmt.Sprint(one.Key, " ", one.Size))
		}
	}
	return all
}

// errorCode returns the code of an SDK error.
func errorCode(err error) string {
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}
