package s3_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_s3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/file"
	file_s3 "github.com/cashwrap/cashwrap/shared/file/s3"
)

// changed is a transport that changes each request after the client has signed it.
type changed struct {
	http.RoundTripper
	change func(*http.Request)
}

func (c changed) RoundTrip(r *http.Request) (*http.Response, error) {
	c.change(r)
	return c.RoundTripper.RoundTrip(r)
}

func TestCheckSignature_OtherCredentials(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.put(key, content)
	stranger, other := local, local
	stranger.AccessKeyID, other.SecretAccessKey = "stranger", "another"
	region := config("http://s3.test", s.http, local)
	region.Region = "eu-central-1"
	for want, c := range map[string]aws.Config{
		"InvalidAccessKeyId":           config("http://s3.test", s.http, stranger),
		"SignatureDoesNotMatch":        config("http://s3.test", s.http, other),
		"AuthorizationHeaderMalformed": region,
	} {
		_, err := file_s3.New(c, s.bucket).Open(t.Context(), key)
		if got := errorCode(err); got != want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string
	}{
		"no signature":       {without("Authorization"), "AccessDenied"},
		"an older algorithm": {set("Authorization", "AWS local:c2lnbmF0dXJl"), "AuthorizationHeaderMalformed"},
		"another key":        {func(r *http.Request) { r.URL.Path += "0" }, "SignatureDoesNotMatch"},
		"another method":     {func(r *http.Request) { r.Method = http.MethodDelete }, "SignatureDoesNotMatch"},
		"another host":       {func(r *http.Request) { r.Host = "s3.example" }, "SignatureDoesNotMatch"},
		"another date": {func(r *http.Request) {
			date := []byte(r.Header.Get("X-Amz-Date"))
			date[len("20060102T15040")] ^= 1 // another second of the same day
			r.Header.Set("X-Amz-Date", string(date))
		}, "SignatureDoesNotMatch"},
		"a fraction of a second": {func(r *http.Request) {
			r.Header.Set("X-Amz-Date", strings.Replace(r.Header.Get("X-Amz-Date"), "Z", ".5Z", 1))
		}, "AuthorizationHeaderMalformed"},
		"another payload":   {set("X-Amz-Content-Sha256", sum(content)), "SignatureDoesNotMatch"},
		"another version":   {parameter("versionId", "1"), "SignatureDoesNotMatch"},
		"an added header":   {set("X-Amz-Meta-Name", "value"), "AccessDenied"},
		"two signatures":    {parameter("X-Amz-Signature", strings.Repeat("0", 64)), "InvalidArgument"},
		"a query in pieces": {func(r *http.Request) { r.URL.RawQuery = "a;b" }, "InvalidURI"},
	} {
		sender := changed{s.http, c.change}
		_, err := file_s3.New(config("http://s3.test", sender, local), s.bucket).Open(t.Context(), key)
		if got := errorCode(err); got != c.want {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, c.want)
		}
	}
}

func TestCheckTime_Requests(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-16 * time.Minute, 16 * time.Minute} {
		e := s3.New(s3.Config{Credentials: local, CallsNow: func() time.Time { return time.Now().Add(ahead) }})
		_, err := file_s3.New(config("http://s3.test", e, local), "files").Open(t.Context(), key)
		if got := errorCode(err); got != "RequestTimeTooSkewed" {
			t.Errorf("%v ahead: got %v, want RequestTimeTooSkewed", ahead, err)
		}
	}
}

// TestCheckTime_Links checks expiry to the second. A download's link expires sooner than an upload's.
func TestCheckTime_Links(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := newStore(t, "http://s3.test", s3.New(s3.Config{Credentials: local, Now: now.Now}), "files", now.Now)
	late := s.uploadLink(receipt("files/late", content))
	last := s.uploadLink(receipt(key, content))
	now.Advance(file.UploadTime - time.Second)
	if got := s.outcome(last, content, nil); got != "200" {
		t.Errorf("in the last second: got %s, want 200", got)
	}
	now.Advance(time.Second)
	if got := s.outcome(late, content, nil); got != "403 AccessDenied" {
		t.Errorf("after it: got %s, want 403 AccessDenied", got)
	}
	late.URL = strings.Replace(late.URL, "Z&X-Amz-Expires", ".999Z&X-Amz-Expires", 1)
	if got := s.outcome(late, content, nil); got != "400 AuthorizationQueryParametersError" {
		t.Errorf("with a later fraction of its second: got %s, want 400 AuthorizationQueryParametersError", got)
	}
	f := receipt(key, content)
	_, f.Revision = s.latestContent(key)
	link := s.downloadLink(f)
	now.Advance(file.DownloadTime - time.Second)
	if got := s.outcome(link, "", nil); got != "200" {
		t.Errorf("download in the last second: got %s, want 200", got)
	}
	now.Advance(time.Second)
	if got := s.outcome(link, "", nil); got != "403 AccessDenied" {
		t.Errorf("download after it: got %s, want 403 AccessDenied", got)
	}
}

func TestCheckBody_SDKUpload(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	put := func(sender http.RoundTripper, in aws_s3.PutObjectInput) string {
		client := aws_s3.NewFromConfig(config("http://s3.test", sender, local), pathStyle)
		in.Bucket, in.Key, in.Body = &s.bucket, aws.String(key), strings.NewReader(content)
		_, err := client.PutObject(t.Context(), &in)
		return errorCode(err)
	}
	other := func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(strings.ToUpper(content))) }
	shorter := func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(content[1:])) }
	got := map[string]string{
		"another content": put(changed{s.http, other}, aws_s3.PutObjectInput{}),
		"less content":    put(changed{s.http, shorter}, aws_s3.PutObjectInput{}),
		"wrong checksum":  put(s.http, aws_s3.PutObjectInput{ChecksumCRC32: aws.String("AAAAAA==")}),
		"no checksum":     put(s.http, aws_s3.PutObjectInput{ChecksumSHA256: aws.String("AAAAAA==")}),
		"another kind":    put(s.http, aws_s3.PutObjectInput{ChecksumAlgorithm: types.ChecksumAlgorithmSha1}),
		"right":           put(s.http, aws_s3.PutObjectInput{}),
	}
	if diff := cmp.Diff(map[string]string{
		"another content": "XAmzContentSHA256Mismatch", "less content": "IncompleteBody", "wrong checksum": "BadDigest",
		"no checksum": "InvalidRequest", "another kind": "NotImplemented", "right": "<nil>",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckSupported(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.put(key, content)
	_, revision := s.latestContent(key)
	k := aws.String(key)
	calls := map[string]func(context.Context) error{
		"ListObjectsV2": func(ctx context.Context) error {
			_, err := s.api.ListObjectsV2(ctx, &aws_s3.ListObjectsV2Input{Bucket: &s.bucket})
			return err
		},
		"ListBuckets": func(ctx context.Context) error {
			_, err := s.api.ListBuckets(ctx, &aws_s3.ListBucketsInput{})
			return err
		},
		"ListObjectVersions with a delimiter": func(ctx context.Context) error {
			_, err := s.api.ListObjectVersions(ctx, &aws_s3.ListObjectVersionsInput{
				Bucket: &s.bucket, Delimiter: aws.String("/")})
			return err
		},
		"CopyObject": func(ctx context.Context) error {
			_, err := s.api.CopyObject(ctx, &aws_s3.CopyObjectInput{
				Bucket: &s.bucket, Key: aws.String("copy"), CopySource: aws.String(s.bucket + "/" + key)})
			return err
		},
		"CreateMultipartUpload": func(ctx context.Context) error {
			_, err := s.api.CreateMultipartUpload(ctx, &aws_s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: k})
			return err
		},
		"GetObjectTagging": func(ctx context.Context) error {
			_, err := s.api.GetObjectTagging(ctx, &aws_s3.GetObjectTaggingInput{Bucket: &s.bucket, Key: k})
			return err
		},
		"GetBucketAcl": func(ctx context.Context) error {
			_, err := s.api.GetBucketAcl(ctx, &aws_s3.GetBucketAclInput{Bucket: &s.bucket})
			return err
		},
		"DeleteBucket": func(ctx context.Context) error {
			_, err := s.api.DeleteBucket(ctx, &aws_s3.DeleteBucketInput{Bucket: &s.bucket})
			return err
		},
		"PutBucketVersioning": func(ctx context.Context) error {
			_, err := s.api.PutBucketVersioning(ctx, &aws_s3.PutBucketVersioningInput{Bucket: &s.bucket,
				VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusSuspended}})
			return err
		},
	}
	for name, call := range calls {
		if got := errorCode(call(t.Context())); got != "NotImplemented" {
			t.Errorf("%s: got %s, want NotImplemented", name, got)
		}
	}
	for _, version := range []*string{nil, &revision} { // an answer to HEAD has no body, so the error has no code
		in := &aws_s3.HeadObjectInput{Bucket: &s.bucket, Key: k, VersionId: version}
		if _, err := s.api.HeadObject(t.Context(), in); err == nil {
			t.Errorf("HeadObject of %s: got no error, want one", aws.ToString(version))
		}
	}
	if _, err := s.api.HeadBucket(t.Context(), &aws_s3.HeadBucketInput{Bucket: &s.bucket}); err == nil {
		t.Error("HeadBucket: got no error, want one")
	}
	_, err := file_s3.New(config("http://s3.test", s.http, local), "another").Open(t.Context(), key)
	if got := errorCode(err); got != "NoSuchBucket" || errors.Is(err, file.ErrNoObject) {
		t.Errorf("another bucket: got %v, want NoSuchBucket, which is not the lack of an object", err)
	}
}

func TestEngine_SameSeed(t *testing.T) {
	t.Parallel()
	revision := func(seed byte) string {
		e := s3.New(s3.Config{Credentials: local, Random: rand.NewChaCha8([32]byte{seed})})
		s := newStore(t, "http://s3.test", e, "files", time.Now)
		s.put(key, content)
		_, revision := s.latestContent(key)
		return revision
	}
	if first, again, other := revision(1), revision(1), revision(2); first != again || first == other {
		t.Errorf("got %s, then %s, and %s of another seed; want the same and another", first, again, other)
	}
}

func TestEngine_OverPort(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(s3.New(s3.Config{Credentials: local}))
	t.Cleanup(server.Close)
	s := newStore(t, server.URL, http.DefaultTransport, "files", time.Now)
	link := s.uploadLink(receipt(key, content))
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string
	}{
		"without a length": {func(r *http.Request) { r.ContentLength = -1 }, "403 SignatureDoesNotMatch"},
		"another size": {func(r *http.Request) {
			r.ContentLength--
			r.Body = io.NopCloser(strings.NewReader(content[1:]))
		}, "403 SignatureDoesNotMatch"},
	} {
		if got := s.outcome(link, content, c.change); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if got := s.outcome(link, content, nil); got != "200" {
		t.Errorf("upload: got %s, want 200", got)
	}
	f := receipt(key, content)
	_, f.Revision = s.latestContent(key)
	if got := s.outcome(s.downloadLink(f), "", set("Range", "bytes=0-3")); got != "206" {
		t.Errorf("the first bytes: got %s, want 206", got)
	}
	s.remove(key)
	if got := s.listKeys("", ""); len(got) != 0 {
		t.Errorf("got %v, want nothing left", got)
	}
}
