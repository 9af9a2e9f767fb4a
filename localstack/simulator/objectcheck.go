package simulator

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// entryOf is the entry of an object.
func entryOf(items map[string]item, key string) item {
	id := file.ObjectID(key)
	return items["OBJECTS#"+id[:1]+" "+id]
}

// ownerOf returns the tenant of an entry.
func ownerOf(i item) string {
	t := i.object("tenant")
	return t.text("mode") + "#" + t.text("merchant_code")
}

// checkObjects: each object has an entry, and each entry but a doomed one a file that is as it says.
func (f *files) checkObjects(items map[string]item) {
	used := map[string]bool{}
	for _, c := range f.tenants {
		r := c.recordsIn(items)
		for _, id := range sorted(r.files) {
			one := r.files[id]
			e := entryOf(items, one.text("object"))
			want := fmt.Sprint(c.tenant, id, one.text("status"), one.text("revision"))
			if got := fmt.Sprint(ownerOf(e), e.text("file"), e.text("state"), e.text("revision")); got != want {
				f.find("", "the entry of file %s says %s, want %s", id, got, want)
			}
			used[file.ObjectID(one.text("object"))] = true
			if one.text("status") == "uploaded" {
				f.checkContent(one)
			}
		}
	}
	for _, key := range sorted(items) {
		if i := items[key]; i.kind() == store.KindObjects && i.text("state") != "doomed" && !used[i.text("sk")] {
			f.find("", "object %s is %s, and its file %s does not exist", i.text("sk"), i.text("state"), i.text("file"))
		}
	}
	f.checkStates(items)
	for _, key := range sorted(f.versions) {
		if f.latest(key) != nil && entryOf(items, key) == nil {
			f.find("", "object %s has no entry", key)
		}
	}
}

// checkStates: an entry begins as a pending one's, and one that is doomed stays so until it goes, for good.
func (f *files) checkStates(items map[string]item) {
	for _, key := range sorted(items) {
		i := items[key]
		if i.kind() != store.KindObjects {
			continue
		}
		was, is := f.states[key], i.text("state")
		if was == "" && is != "pending" || was == "doomed" && is != was || was == "uploaded" && is == "pending" ||
			was == "gone" {
			f.find("", "object %s was %q, and is %s", key, was, is)
		}
		f.record(func() { f.states[key] = is })
	}
	for _, key := range sorted(f.states) {
		if items[key] == nil {
			f.record(func() { f.states[key] = "gone" })
		}
	}
}

// checkContent: what was checked of an uploaded file is at S3, and is what was declared.
func (f *files) checkContent(one item) {
	id := one.text("id")
	for _, v := range f.versions[one.text("object")] {
		if v.id != one.text("revision") || v.gone != 0 {
			continue
		}
		if checksumOf(v.content) != one.text("checksum_sha256") || number(one["size"]) != len(v.content) ||
			v.kind != one.text("content_type") || strings.HasPrefix(v.content, program) {
			f.find("", "file %s is uploaded with the content %q of %s", id, v.content, v.kind)
		}
		return
	}
	f.find("", "the content of file %s is not at S3", id)
}

// CheckCall: of requests, the platform reaches only objects of their own tenant.
func (f *files) CheckCall(by *invocation, r *http.Request) {
	_, key := s3.Named(r)
	if by.tenant == "" || key == "" {
		return
	}
	if e := entryOf(f.items(), key); e != nil && ownerOf(e) != by.tenant {
		f.find("", "%s of %s reached the object %s of %s", by.actor, by.tenant, key, ownerOf(e))
	}
}

// checkUpload: what S3 takes has an entry, and the size and the checksum that were declared, in time.
func (f *files) checkUpload(key string, v *version) {
	e := entryOf(f.items(), key)
	d := f.documents[e.text("file")]
	until, _ := time.Parse(time.RFC3339Nano, e.text("link_until"))
	switch {
	case e == nil:
		f.find("", "object %s was uploaded without an entry", key)
	case f.now().After(until.Add(maxSkew)):
		f.find("", "object %s was uploaded at %v, and its link ended at %v", key, f.now(), until)
	case d != nil && (len(v.content) != len(d.right) || d.checksum && v.content != d.right || v.kind != d.kind):
		f.find("", "object %s was uploaded as %q of %s", key, v.content, v.kind)
	}
}

// checkDeletion: only objects whose file is gone are deleted.
func (f *files) checkDeletion(key string) {
	if e := entryOf(f.items(), key); e.text("state") != "doomed" {
		f.find("", "object %s was deleted, and is %q", key, e.text("state"))
	}
}
