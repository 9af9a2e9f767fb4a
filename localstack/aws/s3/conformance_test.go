package s3_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_s3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/shared/file"
)

// scenario uses a bucket as the platform and its clients do, and notes every answer. want holds Amazon S3's answers.
type scenario struct {
	name string
	run  func(*stage)
	want []string
	// except maps an answer of Amazon S3 to the different answer of fauxqs. fauxqs has no versions and checks no
	// signatures, expiry or checksums.
	except map[string]string
	// lacks names the feature that fauxqs lacks, so that the scenario is not run there.
	lacks string
}

// stage is an engine with a bucket, for running a scenario.
type stage struct {
	store
	notes []string
}

func (s *stage) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func TestEngine_LikeFauxqs(t *testing.T) {
	t.Parallel()
	for _, c := range scenarios {
		t.Run("in memory/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.check(inMemory(t), c.want)
		})
		t.Run("in a folder/"+c.name, func(t *testing.T) {
			t.Parallel()
			e, err := s3.Open(s3.Config{Credentials: local}, t.TempDir(), wal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.check(newStore(t, "http://s3.test", e, "files", time.Now), c.want)
		})
	}
	if !enginetest.All(t) {
		return
	}
	endpoint := enginetest.Fauxqs(t)
	for _, c := range scenarios {
		t.Run("fauxqs/"+c.name, func(t *testing.T) {
			t.Parallel()
			if c.lacks != "" {
				t.Skip("fauxqs has no " + c.lacks)
			}
			want := slices.Clone(c.want)
			for i, note := range want {
				if other, differs := c.except[note]; differs {
					want[i] = other
				}
			}
			c.check(newStore(t, endpoint, http.DefaultTransport, "files-"+strings.ToLower(rand.Text()), time.Now), want)
		})
	}
}

func (c scenario) check(s store, want []string) {
	s.t.Helper()
	stage := &stage{store: s}
	c.run(stage)
	if diff := cmp.Diff(want, stage.notes); diff != "" {
		s.t.Errorf("(-want +got):\n%s", diff)
	}
}

const (
	content = "%PDF-1.7 receipt"
	key     = "files/00aa"
)

var scenarios = []scenario{
	{name: "upload", run: upload, want: []string{
		"before: none", "upload: 200", "opened: " + content + " application/pdf", "has a revision: true",
		"marked: none",
	}, except: map[string]string{"has a revision: true": "has a revision: false"}},
	{name: "download", run: download, want: []string{
		"download: 200 " + content, "type: application/pdf",
		`disposition: attachment; filename="receipt.pdf"; filename*=UTF-8''receipt.pdf`,
	}, lacks: "versions"},
	{name: "headers that are not signed", run: looseHeaders, want: []string{
		"upload: 200", "opened as: br", "Content-Type: application/pdf", "Content-Encoding: br",
		"Content-Language: de", "Content-Disposition: inline", "Cache-Control: public, max-age=31536000",
		"Expires: Thu, 01 Dec 2033 16:00:00 GMT", "by a link: Content-Encoding: identity",
		"by a link: Cache-Control: private, no-store",
		`by a link: Content-Disposition: attachment; filename="receipt.pdf"; filename*=UTF-8''receipt.pdf`,
	}, lacks: "versions"},
	{name: "what is not signed is refused", run: refusedUploads, want: []string{
		"longer: 403 SignatureDoesNotMatch", "shorter: 403 SignatureDoesNotMatch", "other type: 403 SignatureDoesNotMatch",
		"no type: 403 SignatureDoesNotMatch", "other checksum: 403 SignatureDoesNotMatch",
		"no checksum: 403 SignatureDoesNotMatch", "may replace: 403 SignatureDoesNotMatch",
		"more headers: 403 AccessDenied", "other key: 403 SignatureDoesNotMatch",
		"other time: 403 SignatureDoesNotMatch", "other user: 403 InvalidAccessKeyId",
		"download: 403 SignatureDoesNotMatch", "unsigned: 403 AccessDenied", "twice: 400 AuthorizationQueryParametersError",
		"other content: 400 BadDigest", "too late: 403 AccessDenied", "too early: 403 AccessDenied", "left: none",
	}, lacks: "signatures"},
	{name: "one upload", run: oneUpload, want: []string{
		"first: 200", "second: 412 PreconditionFailed", "opened: " + content + " application/pdf",
	}, except: map[string]string{"second: 412 PreconditionFailed": "second: 200"}},
	{name: "no checksum", run: withoutChecksum, want: []string{
		"headers: content-length content-type if-none-match", "upload: 200", "opened: " + content + " application/pdf",
	}},
	{name: "two uploads at once", run: twoUploads, want: []string{"one: 200", "other: 412 PreconditionFailed"},
		except: map[string]string{"other: 412 PreconditionFailed": "other: 200"}},
	{name: "upload after a deletion", run: afterDeletion, want: []string{
		"deleted: none", "nothing left: []", "again: 200", "deleted again: none", "of nothing: none",
	}, lacks: "versions"},
	{name: "a revision stays", run: revisions, want: []string{
		"marked: none", "upload: 200", "latest: %PDF-other revise application/pdf", "first: 200 " + content,
		"first after deletion: 404 NoSuchVersion",
	}, lacks: "versions"},
	{name: "downloads", run: refusedDownloads, want: []string{
		"too late: 403 AccessDenied", "other name: 403 SignatureDoesNotMatch", "other revision: 403 SignatureDoesNotMatch",
		"other key: 403 SignatureDoesNotMatch", "upload: 403 SignatureDoesNotMatch", "with headers: 200",
	}, lacks: "signatures"},
	{name: "delete every version", run: deletions, want: []string{
		"before: [files/00aa - files/00aa - files/00aa 16 files/00aa 16 files/00aa0 16 files/00ab 16]",
		"after: [files/00aa0 16 files/00ab 16]",
	}, lacks: "versions"},
	{name: "more versions than a page", run: manyVersions, want: []string{
		"all: 1205, in order true", "of a prefix: 1002", "after: 201", "of one key: 1002", "without it: 203",
	}, lacks: "versions"},
}

func upload(s *stage) {
	before, _ := s.latestContent(key)
	s.note("before: %s", before)
	s.note("upload: %s", s.outcome(s.uploadLink(receipt(key, content)), content, nil))
	opened, revision := s.latestContent(key)
	s.note("opened: %s", opened)
	s.note("has a revision: %t", revision != "")
	s.markDeleted(key)
	opened, _ = s.latestContent(key)
	s.note("marked: %s", opened)
}

func download(s *stage) {
	s.put(key, content)
	f := receipt(key, content)
	_, f.Revision = s.latestContent(key)
	got := s.use(s.downloadLink(f), "", nil)
	s.note("download: %d %s", got.status, got.body)
	s.note("type: %s", got.header.Get("Content-Type"))
	s.note("disposition: %s", got.header.Get("Content-Disposition"))
}

// looseHeaders checks headers that are stored with an object and returned, unless a link overrides them.
func looseHeaders(s *stage) {
	s.note("upload: %s", s.outcome(s.uploadLink(receipt(key, content)), content, func(r *http.Request) {
		for name, value := range map[string]string{"Content-Encoding": "br", "Content-Language": "de",
			"Content-Disposition": "inline", "Cache-Control": "public, max-age=31536000",
			"Expires": "Thu, 01 Dec 2033 16:00:00 GMT"} {
			r.Header.Set(name, value)
		}
	}))
	object, err := s.Open(s.t.Context(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("opened as: %s", object.Encoding)
	if err = object.Content.Close(); err != nil {
		s.t.Error(err)
	}
	out, err := s.api.GetObject(s.t.Context(), &aws_s3.GetObjectInput{Bucket: &s.bucket, Key: aws.String(key)})
	if err != nil {
		s.t.Fatal(err)
	}
	if err = out.Body.Close(); err != nil {
		s.t.Error(err)
	}
	s.note("Content-Type: %s", aws.ToString(out.ContentType))
	s.note("Content-Encoding: %s", aws.ToString(out.ContentEncoding))
	s.note("Content-Language: %s", aws.ToString(out.ContentLanguage))
	s.note("Content-Disposition: %s", aws.ToString(out.ContentDisposition))
	s.note("Cache-Control: %s", aws.ToString(out.CacheControl))
	s.note("Expires: %s", aws.ToString(out.ExpiresString))
	f := receipt(key, content)
	f.Revision = object.Revision
	got := s.use(s.downloadLink(f), "", nil)
	for _, name := range []string{"Content-Encoding", "Cache-Control", "Content-Disposition"} {
		s.note("by a link: %s: %s", name, got.header.Get(name))
	}
}

func set(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func without(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }

// parameter returns a change of a parameter in a link's query.
func parameter(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		query := r.URL.Query()
		query.Set(name, value)
		r.URL.RawQuery = query.Encode()
	}
}

func refusedUploads(s *stage) {
	link := s.uploadLink(receipt(key, content))
	s.note("longer: %s", s.outcome(link, content+"!", nil))
	s.note("shorter: %s", s.outcome(link, content[1:], nil))
	for _, c := range []struct {
		name   string
		change func(*http.Request)
	}{
		{"other type", set("Content-Type", "text/html")},
		{"no type", without("Content-Type")},
		{"other checksum", set("X-Amz-Checksum-Sha256", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")},
		{"no checksum", without("X-Amz-Checksum-Sha256")},
		{"may replace", without("If-None-Match")},
		{"more headers", set("X-Amz-Acl", "public-read")},
		{"other key", func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, "00aa", "00ab", 1) }},
		{"other time", parameter("X-Amz-Expires", "604800")},
		{"other user", parameter("X-Amz-Credential", "root/20261120/us-east-1/s3/aws4_request")},
		{"download", func(r *http.Request) { r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0 }},
		{"unsigned", func(r *http.Request) { r.URL.RawQuery = "" }},
		{"twice", func(r *http.Request) { r.URL.RawQuery += "&X-Amz-Expires=604800" }},
	} {
		s.note("%s: %s", c.name, s.outcome(link, content, c.change))
	}
	s.note("other content: %s", s.outcome(link, strings.ToUpper(content), nil))
	s.noteAt("too late", -file.UploadTime)
	s.noteAt("too early", time.Hour)
	left, _ := s.latestContent(key)
	s.note("left: %s", left)
}

// noteAt notes an upload by a link that was signed some time ago.
func (s *stage) noteAt(name string, ago time.Duration) {
	s.t.Helper()
	link, err := s.UploadLink(s.t.Context(), receipt(key, content), s.now().Add(ago))
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("%s: %s", name, s.outcome(link, content, nil))
}

func oneUpload(s *stage) {
	s.note("first: %s", s.outcome(s.uploadLink(receipt(key, content)), content, nil))
	s.note("second: %s", s.outcome(s.uploadLink(receipt(key, content)), content, nil))
	opened, _ := s.latestContent(key)
	s.note("opened: %s", opened)
}

func withoutChecksum(s *stage) {
	f := receipt(key, content)
	f.SHA256 = ""
	link := s.uploadLink(f)
	var names []string
	for name := range link.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	s.note("headers: %s", strings.Join(names, " "))
	s.note("upload: %s", s.outcome(link, content, nil))
	opened, _ := s.latestContent(key)
	s.note("opened: %s", opened)
}

func twoUploads(s *stage) {
	link := s.uploadLink(receipt(key, content))
	outcomes := make([]string, 2)
	var both sync.WaitGroup
	for i := range outcomes {
		both.Go(func() { outcomes[i] = s.outcome(link, content, nil) })
	}
	both.Wait()
	slices.Sort(outcomes)
	s.note("one: %s", outcomes[0])
	s.note("other: %s", outcomes[1])
}

func afterDeletion(s *stage) {
	link := s.uploadLink(receipt(key, content))
	s.put(key, content)
	s.remove(key)
	opened, _ := s.latestContent(key)
	s.note("deleted: %s", opened)
	s.note("nothing left: %v", s.listKeys("files/", ""))
	s.note("again: %s", s.outcome(link, content, nil))
	s.remove(key)
	opened, _ = s.latestContent(key)
	s.note("deleted again: %s", opened)
	s.remove(key)
	opened, _ = s.latestContent(key)
	s.note("of nothing: %s", opened)
}

func revisions(s *stage) {
	const other = "%PDF-other revise"
	s.put(key, content)
	f := receipt(key, content)
	_, f.Revision = s.latestContent(key)
	s.markDeleted(key)
	opened, _ := s.latestContent(key)
	s.note("marked: %s", opened)
	s.note("upload: %s", s.outcome(s.uploadLink(receipt(key, other)), other, nil))
	opened, _ = s.latestContent(key)
	s.note("latest: %s", opened)
	got := s.use(s.downloadLink(f), "", nil)
	s.note("first: %d %s", got.status, got.body)
	s.remove(key)
	s.note("first after deletion: %s", s.outcome(s.downloadLink(f), "", nil))
}

func refusedDownloads(s *stage) {
	s.put(key, content)
	f := receipt(key, content)
	_, f.Revision = s.latestContent(key)
	late, err := s.DownloadLink(s.t.Context(), f, s.now().Add(-file.DownloadTime))
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("too late: %s", s.outcome(late, "", nil))
	link := s.downloadLink(f)
	for _, c := range []struct {
		name   string
		change func(*http.Request)
	}{
		{"other name", parameter("response-content-disposition", "inline")},
		{"other revision", parameter("versionId", strings.Repeat("0", 32))},
		{"other key", func(r *http.Request) { r.URL.Path += "0" }},
		{"upload", func(r *http.Request) {
			r.Method, r.Body, r.ContentLength = http.MethodPut, http.NoBody, 0
		}},
		{"with headers", set("Accept", "text/html")},
	} {
		s.note("%s: %s", c.name, s.outcome(link, "", c.change))
	}
}

func deletions(s *stage) {
	for range 2 {
		s.put(key, content)
		s.markDeleted(key)
	}
	s.put(key+"0", content)
	s.put("files/00ab", content)
	before := s.listKeys("files/", "")
	slices.Sort(before) // versions of the same key have about the same time
	s.note("before: %v", before)
	s.remove(key)
	s.note("after: %v", s.listKeys("files/", ""))
}

func manyVersions(s *stage) {
	for range 501 {
		s.put("files/1", content)
		s.markDeleted("files/1")
	}
	for i := range 200 {
		s.put(fmt.Sprintf("files/2%03d", i), content)
	}
	for _, key := range []string{"files/0", "files/3", "other/1"} {
		s.put(key, content)
	}
	all := s.listKeys("", "")
	keys := make([]string, len(all))
	for i, one := range all {
		keys[i], _, _ = strings.Cut(one, " ")
	}
	s.note("all: %d, in order %t", len(all), slices.IsSorted(keys))
	s.note("of a prefix: %d", len(s.listKeys("files/1", "")))
	s.note("after: %d", len(s.listKeys("files/", "files/1")))
	s.note("of one key: %d", len(s.listKeys("files/1", "files/0")))
	s.remove("files/1")
	s.note("without it: %d", len(s.listKeys("", "")))
}
