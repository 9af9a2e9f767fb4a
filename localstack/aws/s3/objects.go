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

// objects is gofakes3's backend: it keeps buckets and all versions of their objects. It is safe for concurrent use.
type objects struct {
	// These two provide the methods that objects does not define. gofakes3 never calls such a method, because
	// checkSupported refuses the requests.
	gofakes3.Backend
	gofakes3.VersionedBackend

	now    func() time.Time
	random io.Reader
	notice func(error)

	mu      sync.Mutex
	buckets map[string]bucket

	folder string           // holds a file per version with its content; "" keeps contents in memory
	log    *wal.Notes[note] // nil keeps data in memory only
}

// bucket maps each key to its versions, oldest first. Every key has at least one version.
type bucket map[string][]*version

// version is an immutable version of an object.
type version struct {
	ID       string            `json:"id"`
	Size     int64             `json:"size"`
	MD5      []byte            `json:"md5,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"` // headers of the download
	StoredAt time.Time         `json:"stored_at"`
	Deletion bool              `json:"deletion,omitempty"` // marks a deletion
	content  []byte            // set if kept in memory
}

func (o *objects) newID() string {
	id := make([]byte, 16)
	if _, err := io.ReadFull(o.random, id); err != nil {
		panic("s3: Config.Random failed: " + err.Error())
	}
	return hex.EncodeToString(id)
}

// PutObject adds a version to an object.
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
	v := &version{ID: o.newID(), Size: size, MD5: sum[:], Meta: originalHeaders(meta), StoredAt: o.moment(), content: body}
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

// GetObject opens the latest version of an object.
func (o *objects) GetObject(name, key string, part *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.latest(name, key)
	if v == nil {
		return nil, gofakes3.KeyNotFound(key)
	}
	return o.open(key, v, part)
}

// GetObjectVersion opens the version with an id.
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

// open returns the current content. It can still be read after the version is deleted.
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

// DeleteObject adds a version that marks the object as deleted.
func (o *objects) DeleteObject(name, key string) (gofakes3.ObjectDeleteResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := &version{ID: o.newID(), StoredAt: o.moment(), Deletion: true}
	if err := o.add(name, key, v); err != nil {
		return gofakes3.ObjectDeleteResult{}, err
	}
	return gofakes3.ObjectDeleteResult{IsDeleteMarker: true, VersionID: gofakes3.VersionID(v.ID)}, nil
}

// DeleteObjectVersion removes a version. A missing version is not an error.
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
