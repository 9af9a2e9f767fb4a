package files

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// entryOf is the entry of an object.
func entryOf(items map[string]simulator.Item, key string) simulator.Item {
	id := file.ObjectID(key)
	return items["OBJECTS#"+id[:1]+" "+id]
}

// ownerOf returns the tenant of an entry.
func ownerOf(i simulator.Item) string {
	t := i.Object("tenant")
	return t.Text("mode") + "#" + t.Text("merchant_code")
}

// checkObjects: each object has an entry, and each entry but a doomed one a file that is as it says.
func (f *files) checkObjects(items map[string]simulator.Item) {
	used := map[string]bool{}
	for _, c := range f.tenants {
		r := c.recordsIn(items)
		for _, id := range simulator.Sorted(r.files) {
			one := r.files[id]
			e := entryOf(items, one.Text("object"))
			want := fmt.Sprint(c.Tenant, id, one.Text("status"), one.Text("revision"))
			if got := fmt.Sprint(ownerOf(e), e.Text("file"), e.Text("state"), e.Text("revision")); got != want {
				f.Find("", "the entry of file %s says %s, want %s", id, got, want)
			}
			used[file.ObjectID(one.Text("object"))] = true
			if one.Text("status") == "uploaded" {
				f.checkContent(one)
			}
		}
	}
	for _, key := range simulator.Sorted(items) {
		if i := items[key]; i.Kind() == store.KindObjects && i.Text("state") != "doomed" && !used[i.Text("sk")] {
			f.Find("", "object %s is %s, and its file %s does not exist", i.Text("sk"), i.Text("state"), i.Text("file"))
		}
	}
	f.checkStates(items)
	for _, key := range simulator.Sorted(f.versions) {
		if f.latest(key) != nil && entryOf(items, key) == nil {
			f.Find("", "object %s has no entry", key)
		}
	}
}

// checkStates: an entry begins as a pending one's, and one that is doomed stays so until it goes, for good.
func (f *files) checkStates(items map[string]simulator.Item) {
	for _, key := range simulator.Sorted(items) {
		i := items[key]
		if i.Kind() != store.KindObjects {
			continue
		}
		was, is := f.states[key], i.Text("state")
		if was == "" && is != "pending" || was == "doomed" && is != was || was == "uploaded" && is == "pending" ||
			was == "gone" {
			f.Find("", "object %s was %q, and is %s", key, was, is)
		}
		f.Record(func() { f.states[key] = is })
	}
	for _, key := range simulator.Sorted(f.states) {
		if items[key] == nil {
			f.Record(func() { f.states[key] = "gone" })
		}
	}
}

// checkContent: what was checked of an uploaded file is at S3, and is what was declared.
func (f *files) checkContent(one simulator.Item) {
	id := one.Text("id")
	for _, v := range f.versions[one.Text("object")] {
		if v.id != one.Text("revision") || v.gone != 0 {
			continue
		}
		if checksumOf(v.content) != one.Text("checksum_sha256") || one.Number("size") != len(v.content) ||
			v.kind != one.Text("content_type") || strings.HasPrefix(v.content, program) {
			f.Find("", "file %s is uploaded with the content %q of %s", id, v.content, v.kind)
		}
		return
	}
	f.Find("", "the content of file %s is not at S3", id)
}

// CheckCall: of requests, the platform reaches only objects of their own tenant.
func (f *files) CheckCall(by *simulator.Invocation, r *http.Request) {
	_, key := s3.Named(r)
	if by.Tenant == "" || key == "" {
		return
	}
	if e := entryOf(f.items(), key); e != nil && ownerOf(e) != by.Tenant {
		f.Find("", "%s of %s reached the object %s of %s", by.Actor, by.Tenant, key, ownerOf(e))
	}
}

// checkUpload: what S3 takes has an entry, and the size and the checksum that were declared, in time.
func (f *files) checkUpload(key string, v *version) {
	e := entryOf(f.items(), key)
	d := f.documents[e.Text("file")]
	until, _ := time.Parse(time.RFC3339Nano, e.Text("link_until"))
	switch {
	case e == nil:
		f.Find("", "object %s was uploaded without an entry", key)
	case f.Now().After(until.Add(simulator.MaxSkew)):
		f.Find("", "object %s was uploaded at %v, and its link ended at %v", key, f.Now(), until)
	case d != nil && (len(v.content) != len(d.right) || d.checksum && v.content != d.right || v.kind != d.kind):
		f.Find("", "object %s was uploaded as %q of %s", key, v.content, v.kind)
	}
}

// checkDeletion: only objects whose file is gone are deleted.
func (f *files) checkDeletion(key string) {
	if e := entryOf(f.items(), key); e.Text("state") != "doomed" {
		f.Find("", "object %s was deleted, and is %q", key, e.Text("state"))
	}
}
