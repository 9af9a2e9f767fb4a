package files_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/file"
)

type fields = map[string]any

// collection is a collection in a response.
type collection struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Metadata    json.RawMessage `json:"metadata"`
	Status      string          `json:"status"`
	Files       int             `json:"files_count"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
}

// page is a part of a list.
type page[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total_count"`
}

type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	return shop{world.NewShop(t)}
}

// as returns the shop with another credential.
func (s shop) as(credential string) shop { return shop{s.WithKey(credential)} }

// newLiveShop returns a merchant in live mode, with a key of each mode.
func (s shop) newLiveShop() (live, test shop) {
	s.Helper()
	one := s.NewLiveShop()
	return shop{one}, shop{one.WithTestKey()}
}

func (s shop) path(id string) string       { return s.FilesPath() + "/" + id }
func (s shop) collection(id string) string { return s.CollectionsPath() + "/" + id }

// readFile retrieves a file.
func (s shop) readFile(id string) world.File {
	s.Helper()
	return s.ShownFile(200, s.Send("GET", s.path(id), nil))
}

// listFiles lists the shop's files.
func (s shop) listFiles(query string) page[world.File] {
	s.Helper()
	return world.Into[page[world.File]](s, 200, s.Send("GET", s.FilesPath()+query, nil))
}

// update sends an update of a file.
func (s shop) update(id string, body any) world.Response {
	s.Helper()
	return s.Send("PUT", s.path(id), body)
}

// createCollection creates a collection.
func (s shop) createCollection(name string) collection {
	s.Helper()
	return world.Into[collection](s, 201, s.Send("POST", s.CollectionsPath(), fields{"name": name}))
}

// setStatus gives a collection a status.
func (s shop) setStatus(id, status string) collection {
	s.Helper()
	return world.Into[collection](s, 200, s.Send("PUT", s.collection(id), fields{"status": status}))
}

// readCollection retrieves a collection.
func (s shop) readCollection(id string) collection {
	s.Helper()
	return world.Into[collection](s, 200, s.Send("GET", s.collection(id), nil))
}

// listCollections lists the shop's collections.
func (s shop) listCollections(query string) page[collection] {
	s.Helper()
	return world.Into[page[collection]](s, 200, s.Send("GET", s.CollectionsPath()+query, nil))
}

// put fails unless S3 answers an upload with the status.
func (s shop) put(what string, status int, u *world.Upload, content string) {
	s.Helper()
	if got, body := s.Put(u, content); got != status {
		s.Errorf("%s: got %d %s from S3, want %d", what, got, body, status)
	}
}

// objectKey returns the key of a file's content.
func (s shop) objectKey(id string) string {
	s.Helper()
	f, err := s.App.Store.File(s.Context(), s.Tenant(), id)
	if err != nil {
		s.Fatal(err)
	}
	return f.Object
}

// readEntries returns the entries of all objects, by key.
func (s shop) readEntries() map[string]file.Entry {
	s.Helper()
	all := map[string]file.Entry{}
	for shard := range file.Shards {
		for e, err := range s.App.Store.ObjectEntries(s.Context(), shard, "") {
			if err != nil {
				s.Fatal(err)
			}
			all[e.Key] = e
		}
	}
	return all
}

// countFiles returns the merchant's stored count of files.
func (s shop) countFiles() int {
	s.Helper()
	_, table := s.App.Store.Raw()
	var got struct {
		Count int `dynamo:"count"`
	}
	err := table.Get("pk", s.records()).Range("sk", dynamo.Equal, "COUNT#FILES").One(s.Context(), &got)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		s.Fatal(err)
	}
	return got.Count
}

// wantNothingLeft fails if a merchant's file, an object or an entry is left.
func (s shop) wantNothingLeft(what string) {
	s.Helper()
	if got := s.listFiles(""); got.Total != 0 {
		s.Errorf("%s: got %+v, want no file", what, got)
	}
	if got := s.Stored(); len(got) != 0 {
		s.Errorf("%s: got objects %v, want none", what, got)
	}
	if got := s.readEntries(); len(got) != 0 {
		s.Errorf("%s: got entries %+v, want none", what, got)
	}
	if got := s.countFiles(); got != 0 {
		s.Errorf("%s: got %d files counted, want none", what, got)
	}
}

// Refusals of the family.
var (
	notAllowed = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	conflict   = world.Refused(409, "CONFLICT", "", "conflict")
	upstream   = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
)

// storePending stores a pending file with an object's key directly, without the API.
func (s shop) storePending(id, key, collection string) {
	s.Helper()
	given := file.Given{Name: "a.txt", ContentType: file.Text, Size: 1, Collection: collection}
	f, err := file.New(id, key, given, s.Clock.Now())
	if err == nil {
		_, err = s.App.Store.CreateFile(s.Context(), world.ByTest, s.Tenant(), f)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// bucket returns a client for the bucket, and the bucket's name. The client reaches the bucket directly, not through
// the functions, and meets no injected faults.
func (s shop) bucket() (*s3.Client, *string) {
	return s3.NewFromConfig(s.App.AWS(s.App.S3Endpoint), func(o *s3.Options) { o.UsePathStyle = true }),
		&s.App.FileBucket
}

// putContent puts content under a key without a link, as a person with credentials for the bucket could.
func (s shop) putContent(key, contentType, content string) {
	s.Helper()
	client, bucket := s.bucket()
	_, err := client.PutObject(s.Context(), &s3.PutObjectInput{Bucket: bucket, Key: &key, ContentType: &contentType,
		Body: strings.NewReader(content)})
	if err != nil {
		s.Fatal(err)
	}
}
