package s3_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/file/s3"
)

// newAmazonBucket returns a bucket at Amazon's own address, as a function in Lambda has it.
func newAmazonBucket() *s3.Bucket {
	return s3.New(aws.Config{Region: "eu-central-1", Credentials: aws.CredentialsProviderFunc(
		func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret", SessionToken: "token"}, nil
		})}, "cashwrap-files")
}

var invoice = file.File{
	Object: "files/00aa", Name: "invoice.pdf", ContentType: "application/pdf", Size: 5,
	SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", Revision: "rev1",
}

// parseLink returns a link's address and query without the signature. The conformance tests of the local S3 check the
// signature.
func parseLink(t *testing.T, link file.Link) (address string, _ url.Values) {
	t.Helper()
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	if len(values.Get("X-Amz-Signature")) != 64 {
		t.Errorf("got signature %q, want 64 digits", values.Get("X-Amz-Signature"))
	}
	values.Del("X-Amz-Signature")
	u.RawQuery = ""
	return u.String(), values
}

func TestUploadLink_SignedHeaders(t *testing.T) {
	t.Parallel()
	link, err := newAmazonBucket().UploadLink(t.Context(), invoice, clock.Start.Add(900*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	address, values := parseLink(t, link)
	link.URL = address
	want := file.Link{
		Method: http.MethodPut, URL: "https://cashwrap-files.s3.eu-central-1.amazonaws.com/files/00aa",
		Headers: map[string]string{
			"content-type": "application/pdf", "content-length": "5", "if-none-match": "*",
			"x-amz-checksum-sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
		},
		Until: clock.Start.Add(file.UploadTime),
	}
	if diff := cmp.Diff(want, link); diff != "" {
		t.Errorf("link (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(url.Values{
		"X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "X-Amz-Date": {"20261120T120000Z"}, "X-Amz-Expires": {"900"},
		"X-Amz-Credential": {"AKID/20261120/eu-central-1/s3/aws4_request"}, "X-Amz-Security-Token": {"token"},
		"X-Amz-SignedHeaders": {"content-length;content-type;host;if-none-match;x-amz-checksum-sha256"},
		"x-id":                {"PutObject"},
	}, values); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func TestDownloadLink_OneVersionAsAttachment(t *testing.T) {
	t.Parallel()
	link, err := newAmazonBucket().DownloadLink(t.Context(), invoice, clock.Start)
	if err != nil {
		t.Fatal(err)
	}
	address, values := parseLink(t, link)
	link.URL = address
	want := file.Link{Method: http.MethodGet, URL: "https://cashwrap-files.s3.eu-central-1.amazonaws.com/files/00aa",
		Until: clock.Start.Add(file.DownloadTime)}
	if diff := cmp.Diff(want, link); diff != "" {
		t.Errorf("link (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(url.Values{
		"X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "X-Amz-Date": {"20261120T120000Z"}, "X-Amz-Expires": {"300"},
		"X-Amz-Credential": {"AKID/20261120/eu-central-1/s3/aws4_request"}, "X-Amz-Security-Token": {"token"},
		"X-Amz-SignedHeaders":   {"host"},
		"response-content-type": {"application/pdf"}, "versionId": {"rev1"}, "x-id": {"GetObject"},
		"response-content-disposition": {`attachment; filename="invoice.pdf"; filename*=UTF-8''invoice.pdf`},
		"response-content-encoding":    {"identity"}, "response-cache-control": {"private, no-store"},
	}, values); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func TestLinks_Refused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*file.File){
		"without a size":             func(f *file.File) { f.Size = 0 },
		"with a checksum not in hex": func(f *file.File) { f.SHA256 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=" },
	} {
		f := invoice
		change(&f)
		if link, err := newAmazonBucket().UploadLink(t.Context(), f, clock.Start); err == nil {
			t.Errorf("upload %s: got %v, want an error", name, link)
		}
	}
	f := invoice
	f.Revision = ""
	if link, err := newAmazonBucket().DownloadLink(t.Context(), f, clock.Start); err == nil {
		t.Errorf("download without a revision: got %v, want an error", link)
	}
}
