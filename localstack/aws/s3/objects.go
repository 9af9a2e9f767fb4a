package s3

import (
	"bytes"
	"crypto/md5" //nolint:gosec // S3's ETag is an MD5
	"encoding/hex"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/johannesboyne/gofakes3"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// objects keeps buckets with the versions of their objects: the backend of gofakes3. It is safe for concurrent use.
type objects struct {
	// The operations of gofakes3 that objects does not have itself are never called: supported refuses their requests.
	gofakes3.Backend
	gofakes3.VersionedBackend

	now    func() time.Time
	random io.Reader
	notice func(error)

	mu      sync.Mutex
	buckets map[string]bucket

	folder string           // has a file for each version's content; "": they are in memory
	log    *wal.Notes[note] // nil: everything is lost with the process
}

// bucket has each key's versions, the oldest first. No key is without any.
type bucket map[string][]*version

// version of an object. It does not change.
type version struct {
	ID       string            `json:"id"`
	Size     int64             `json:"size"`
	MD5      []byte            `json:"md5,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"` // headers of its download
	StoredAt time.Time         `json:"stored_at"`
	Deletion bool              `json:"deletion,omitempty"` // it only marks one
	content  []byte            // of one in memory
}

func (o *objects) newID() string {
	id := make([]byte, 16)
	if _, err := io.ReadFull(o.random, id); err != nil {
		panic("s3: Config.Random failed: " + err.Error())
	}
	return hex.EncodeToString(id)
}

// PutObject adds a version.
func (o *objects) PutObject(name, key string, meta map[string]string, content io.Reader, size int64,
	conditions *gofakes3.PutConditions,
) (gofakes3.PutObjectResult, error) {
	body, err := gofakes3.ReadAll(content, size)
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	sum := md5.Sum(body) //nolint:gosec // as above
	o.mu.Lock()
	defer o.mu.Unlock()
	if conditions != nil {
		info := gofakes3.ConditionalObjectInfo{}
		if latest := o.latest(name, key); latest != nil && !latest.Deletion {
			info = gofakes3.ConditionalObjectInfo{Exists: true, Hash: latest.MD5}
		}
		if err := gofakes3.CheckPutConditions(conditions, &info); err != nil {
			return gofakes3.PutObjectResult{}, err
		}
	}
	v := &version{ID: o.newID(), Size: size, MD5: sum[:], Meta: unkept(meta), StoredAt: o.moment(), content: body}
	if err := o.add(name, key, v); err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	return gofakes3.PutObjectResult{VersionID: gofakes3.VersionID(v.ID)}, nil
}

func (o *objects) moment() time.Time { return o.now().UTC().Truncate(time.Millisecond) }

func (o *objects) latest(name, key string) *version {
	if versions := o.buckets[name][key]; len(versions) > 0 {
		return versions[len(versions)-1]
	}
	return nil
}

// GetObject opens the latest version.
func (o *objects) GetObject(name, key string, part *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.latest(name, key)
	if v == nil {
		return nil, gofakes3.KeyNotFound(key)
	}
	return o.open(key, v, part)
}

// GetObjectVersion opens the version of an id.
func (o *objects) GetObjectVersion(name, key string, id gofakes3.VersionID, part *gofakes3.ObjectRangeRequest,
) (*gofakes3.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, v := range o.buckets[name][key] {
		if v.ID == string(id) {
			return o.open(key, v, part)
		}
	}
	return nil, gofakes3.ResourceError(gofakes3.ErrNoSuchVersion, key)
}

// open returns the content as it is now, also to a reader that reads it after a deletion.
func (o *objects) open(key string, v *version, part *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	object := &gofakes3.Object{Name: key, Metadata: v.Meta, Size: v.Size, Hash: v.MD5,
		VersionID: gofakes3.VersionID(v.ID), IsDeleteMarker: v.Deletion, Contents: io.NopCloser(bytes.NewReader(nil))}
	if v.Deletion {
		return object, nil
	}
	var err error
	if object.Range, err = part.Range(v.Size); err != nil {
		return nil, err
	}
	content := v.content
	if o.folder != "" {
		if content, err = os.ReadFile(o.path(v.ID)); err != nil {
			return nil, err
		}
	}
	if r := object.Range; r != nil {
		content = content[r.Start : r.Start+r.Length]
	}
	object.Contents = io.NopCloser(bytes.NewReader(content))
	return object, nil
}

// DeleteObject adds a version that marks the deletion.
func (o *objects) DeleteObject(name, key string) (gofakes3.ObjectDeleteResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := &version{ID: o.newID(), StoredAt: o.moment(), Deletion: true}
	if err := o.add(name, key, v); err != nil {
		return gofakes3.ObjectDeleteResult{}, err
	}
	return gofakes3.ObjectDeleteResult{IsDeleteMarker: true, VersionID: gofakes3.VersionID(v.ID)}, nil
}

// DeleteObjectVersion removes a version; that there is none is no error.
func (o *objects) DeleteObjectVersion(name, key string, id gofakes3.VersionID) (gofakes3.ObjectDeleteResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.buckets[name][key], func(v *version) bool { return v.ID == string(id) })
	if at < 0 {
		return gofakes3.ObjectDeleteResult{VersionID: id}, nil
	}
	v := o.buckets[name][key][at]
	if err := o.remove(name, key, v); err != nil {
		return gofakes3.ObjectDeleteResult{}, err
	}
	return gofakes3.ObjectDeleteResult{IsDeleteMarker: v.Deletion, VersionID: id}, nil
}
