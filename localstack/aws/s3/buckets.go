package s3

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/johannesboyne/gofakes3"
)

// ListBucketVersions returns a page of versions, sorted by key and then newest first.
func (o *objects) ListBucketVersions(name string, prefix *gofakes3.Prefix, page *gofakes3.ListBucketVersionsPage,
) (*gofakes3.ListBucketVersionsResult, error) {
	if prefix.HasDelimiter {
		return nil, gofakes3.ErrNotImplemented
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	out := gofakes3.NewListBucketVersionsResult(name, prefix, page)
	for one := range o.versionsAfter(name, prefix.Prefix, page.KeyMarker, string(page.VersionIDMarker)) {
		if out.IsTruncated = int64(len(out.Versions)) == page.MaxKeys; out.IsTruncated {
			break
		}
		out.Versions = append(out.Versions, one.item())
		out.NextKeyMarker, out.NextVersionIDMarker = one.key, gofakes3.VersionID(one.ID)
	}
	if !out.IsTruncated {
		out.NextKeyMarker, out.NextVersionIDMarker = "", ""
	}
	return out, nil
}

type listed struct {
	*version
	key    string
	latest bool
}

// versionsAfter returns the versions of keys with the prefix, sorted by key. The versions of one key are sorted from
// newest to oldest. The parameters key and id name the version after which the list begins. If id is "", the list
// begins after all versions of that key.
func (o *objects) versionsAfter(name, prefix, key, id string) iter.Seq[listed] {
	return func(yield func(listed) bool) {
		for _, at := range slices.Sorted(maps.Keys(o.buckets[name])) {
			if at < key || at == key && id == "" || !strings.HasPrefix(at, prefix) {
				continue
			}
			versions := o.buckets[name][at]
			end := len(versions)
			if at == key { // ids have no order, so search for id; if that version is gone, nothing is skipped
				if before := slices.IndexFunc(versions, func(v *version) bool { return v.ID == id }); before >= 0 {
					end = before
				}
			}
			for i, v := range slices.Backward(versions[:end]) {
				if !yield(listed{v, at, i == len(versions)-1}) {
					return
				}
			}
		}
	}
}

func (l listed) item() gofakes3.VersionItem {
	id, at := gofakes3.VersionID(l.ID), gofakes3.NewContentTime(l.StoredAt)
	if l.Deletion {
		return &gofakes3.DeleteMarker{Key: l.key, VersionID: id, IsLatest: l.latest, LastModified: at}
	}
	return &gofakes3.Version{Key: l.key, VersionID: id, IsLatest: l.latest, LastModified: at, Size: l.Size,
		ETag: gofakes3.FormatETag(l.MD5)}
}

// CreateBucket creates a bucket.
func (o *objects) CreateBucket(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buckets[name] != nil {
		return gofakes3.ResourceError(gofakes3.ErrBucketAlreadyExists, name)
	}
	if err := o.log.Keep(note{Bucket: name}); err != nil {
		return err
	}
	o.buckets[name] = bucket{}
	return nil
}

// BucketExists returns true if the bucket exists.
func (o *objects) BucketExists(name string) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buckets[name] != nil, nil
}
