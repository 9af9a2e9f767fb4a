package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/file"
	objects "github.com/cashwrap/cashwrap/shared/file/s3"
	"github.com/cashwrap/cashwrap/shared/store"
)

// fileState is what a tenant has at a time.
type fileState struct {
	since              int64           // in logical time
	files, collections map[string]item // by id
	counted            [2]int          // files and collections
}

// of are the files in a collection.
func (s fileState) of(collection string) (n int) {
	for _, f := range s.files {
		if f.text("collection_id") == collection {
			n++
		}
	}
	return n
}

// ofFiles says whether a partition holds a tenant's files, or entries of objects.
func ofFiles(pk string) bool {
	return slices.Contains([]store.Kind{store.KindFiles, store.KindObjects}, partition(pk).Kind)
}

// Committing looks after each write.
func (f *files) Committing(by *invocation, operation string, body []byte) (committed func()) {
	return func() { f.checkCommitted(by, operation, body) }
}

func (f *files) checkCommitted(by *invocation, operation string, body []byte) {
	if operation == "BatchGetItem" || operation == "GetItem" || operation == "Query" ||
		!slices.ContainsFunc(valuesOf(string(body), "pk"), ofFiles) {
		return
	}
	if w, first := f.readWrite(operation, body); first {
		f.checkAudit(w)
	}
	f.look()
	for _, c := range f.tenants {
		if n := len(c.history); n > 1 {
			c.checkChange(by, c.history[n-2], c.history[n-1])
		}
	}
}

// checkAudit: each change of a file or a collection writes one audit entry, and nothing else writes any.
func (f *files) checkAudit(w write) {
	changed, entries := map[string]bool{}, 0
	for _, i := range slices.Concat(w.puts, w.deleted) {
		sk := i.text("sk")
		if i.kind() == store.KindFiles && (strings.HasPrefix(sk, "FILE#") || strings.HasPrefix(sk, "COLLECTION#")) {
			changed[sk] = true
		}
		if i.kind() == store.KindAudit {
			entries++
		}
	}
	checkEntryCount(f.World, sorted(changed), entries)
}

// items are what the table has of files and of their objects, by the stream: reading the table each time takes long.
func (f *files) items() map[string]item {
	f.readStream()
	f.record(func() {
		for _, c := range f.changes[f.applied:] {
			pk, sk := c.Change.Keys["pk"].String(), c.Change.Keys["sk"].String()
			if delete(f.kept, pk+" "+sk); c.EventName != "REMOVE" && ofFiles(pk) {
				f.kept[pk+" "+sk] = c.image()
			}
		}
		f.applied = len(f.changes)
	})
	return f.kept
}

// look notes what all tenants have now, and checks it.
func (f *files) look() {
	items := f.items()
	for _, c := range f.tenants {
		s := c.check(items)
		s.since = f.logicalTime()
		f.record(func() { c.history = append(c.history, s) })
	}
	f.checkObjects(items)
}

// fileRecords are all that the table has about a tenant.
type fileRecords struct {
	fileState
	listed [2]map[string]item // entries in lists, by id
	gone   map[string]item    // what is kept of deleted files, by id
	counts [2]item
	doomed int // entries of objects whose files are gone, which count as files
}

func (c *fileTenant) recordsIn(items map[string]item) fileRecords {
	r := fileRecords{fileState: fileState{files: map[string]item{}, collections: map[string]item{}},
		listed: [2]map[string]item{{}, {}}, gone: map[string]item{}}
	for _, i := range items {
		if i.kind() == store.KindObjects && ownerOf(i) == c.tenant && i.text("state") == string(file.ObjectDoomed) {
			r.doomed++
		}
		if i.kind() != store.KindFiles || i.tenant() != c.tenant {
			continue
		}
		kind, rest, _ := strings.Cut(i.text("sk"), "#")
		id := rest[strings.LastIndex(rest, "#")+1:]
		switch kind {
		case "FILE":
			r.files[id] = i
		case "FILES":
			r.listed[0][id] = i
		case "DELETED":
			r.gone[id] = i
		case "COLLECTION":
			r.collections[id] = i
		case "COLLECTIONS":
			r.listed[1][id] = i
		case "COUNT":
			r.counts[map[string]int{"FILES": 0, "COLLECTIONS": 1}[rest]] = i
		}
	}
	for n := range r.counts {
		r.counted[n] = number(r.counts[n]["count"])
	}
	return r
}

// check: lists are of what there is, and counts, too; content that is not gone for good counts.
func (c *fileTenant) check(items map[string]item) fileState {
	r := c.recordsIn(items)
	for n, of := range []map[string]item{r.files, r.collections} {
		what := []string{"files", "collections"}[n]
		if want := len(of) + []int{r.doomed, 0}[n] + c.others[n]; r.counted[n] != want {
			c.find("", "%s counts %d %s, and has %d", c.name, r.counted[n], what, want)
		}
		if most := []int{file.MaxFiles, file.MaxCollections}[n]; r.counted[n] > most {
			c.find("", "%s has %d %s, and may have %d", c.name, r.counted[n], what, most)
		}
		if got, want := sorted(r.listed[n]), sorted(of); !slices.Equal(got, want) {
			c.find("", "%s lists the %s %v, and has %v", c.name, what, got, want)
		}
		for _, id := range sorted(of) {
			listed := r.listed[n][id]
			for _, field := range []string{"status", "collection_id"} {
				if listed != nil && listed.text(field) != of[id].text(field) {
					c.find("", "%s has the %s %q, and is listed with %q", id, field, of[id].text(field), listed.text(field))
				}
			}
		}
	}
	for _, id := range sorted(r.collections) {
		if got, want := number(r.collections[id]["files_count"]), r.of(id); got != want {
			c.find("", "collection %s counts %d files, and has %d", id, got, want)
		}
	}
	for _, id := range sorted(r.files) {
		if at := r.files[id].text("collection_id"); at != "" && r.collections[at] == nil {
			c.find("", "file %s is in the collection %s, which its merchant does not have", id, at)
		}
		if r.gone[id] != nil {
			c.find("", "file %s was deleted, and is there again", id)
		}
	}
	return r.fileState
}

// still are the members of a file that never change, and once uploaded those that do not either.
var still = []string{"filename", "content_type", "size", "object", "created_at"}

// checkChange: how files and collections change (contract §8.3).
func (c *fileTenant) checkChange(by *invocation, before, after fileState) {
	open := func(id string) bool { return id == "" || before.collections[id].text("status") == string(file.Open) }
	archived := func(id string) bool { return before.collections[id].text("status") == string(file.Archived) }
	for _, id := range sorted(after.files) {
		was, is := before.files[id], after.files[id]
		from, to := was.text("collection_id"), is.text("collection_id")
		completed := was.text("status") != "uploaded" && is.text("status") == "uploaded"
		moved := was == nil || from != to
		switch {
		case (moved || completed) && !open(to):
			c.find("", "file %s came into the collection %s, or was uploaded there, and that is %s", id, to,
				before.collections[to].text("status"))
		case moved && archived(from):
			c.find("", "file %s left the collection %s, which is archived", id, from)
		case was == nil && is.text("status") != "pending":
			c.find("", "file %s is made %s", id, is.text("status"))
		case was.text("status") == "uploaded" && (is.text("status") != "uploaded" || changed(was, is,
			"checksum_sha256", "revision", "uploaded_at")), was != nil && changed(was, is, still...):
			c.find("", "file %s changed from %v to %v", id, was, is)
		}
	}
	for _, id := range sorted(before.files) {
		if after.files[id] == nil {
			c.checkEnd(by, before.files[id], archived(before.files[id].text("collection_id")))
		}
	}
	for _, id := range sorted(before.collections) {
		was, is := maps.Clone(before.collections[id]), maps.Clone(after.collections[id])
		for _, i := range []item{was, is} {
			delete(i, "files_count")
			delete(i, "version")
		}
		if archived(id) && fmt.Sprint(was) != fmt.Sprint(is) {
			c.find("", "archived collection %s changed from %v to %v", id, was, is)
		}
	}
}

func changed(was, is item, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return was.text(name) != is.text(name) })
}

// checkEnd: a file ends because somebody deletes it, its content differs, or it was not uploaded in time.
func (c *fileTenant) checkEnd(by *invocation, was item, archived bool) {
	id := was.text("id")
	deleted := c.World.read(was.text("pk"), "DELETED#"+id)
	created, _ := time.Parse(time.RFC3339Nano, was.text("created_at"))
	versions := c.files.versions[was.text("object")]
	switch pending := was.text("status") == "pending"; {
	case len(deleted) == 0:
		c.find("", "nothing is kept of the deleted file %s", id)
	case by.name == "sweep" && (!pending || c.now().Sub(created) < file.PendingTime-2*maxSkew):
		c.find("", "%s file %s was dropped after %v", was.text("status"), id, c.now().Sub(created))
	case by.name == "sweep":
	case deleted.text("reason") != "" && (!pending || !slices.ContainsFunc(versions, func(v *version) bool {
		return strings.HasPrefix(v.content, program)
	})):
		c.find("", "%s file %s was dropped, and its content was right", was.text("status"), id)
	case deleted.text("reason") != "":
	case !c.files.deletions[id]:
		c.find("", "file %s was deleted, and nobody asked for it", id)
	case archived:
		c.find("", "file %s was deleted in an archived collection", id)
	}
}

// checkFiles: in the end every file is uploaded, and has the only version of an object there is.
func (f *files) checkFiles() {
	items := f.scan()
	want := map[string]string{}
	for _, i := range items {
		if i.kind() == store.KindObjects {
			want[file.Prefix+i.text("sk")] = i.text("revision")
			if i.text("state") != "uploaded" {
				f.find("", "object %s is left %s", i.text("sk"), i.text("state"))
			}
		}
	}
	found := map[string]string{}
	// past the scheduler
	at := objects.New(aws.Config{Region: f.config.Region, Credentials: credentials, HTTPClient: plainClient(f.engine),
		BaseEndpoint: &f.config.S3Endpoint}, runner.Bucket)
	for one, err := range at.List(context.Background(), file.Prefix, "") {
		f.must(err)
		if found[one.Key] += one.Revision; one.Deletion {
			f.find("", "object %s has a marker of a deletion", one.Key)
		}
	}
	if !maps.Equal(found, want) {
		f.find("", "S3 has the objects %v, and the table %v", found, want)
	}
	f.checkSecrets(items)
	f.checkSeen()
	f.findLogged("reconciliation break", "an object with a file")
}

// checkSecrets: no link is kept, or logged.
func (f *files) checkSecrets(items []item) {
	dump, _ := json.Marshal(items)
	for _, signature := range f.links {
		if strings.Contains(string(dump), signature) || len(f.errors.about(signature)) > 0 {
			f.find("", "the signature %s of a link is kept", signature)
		}
	}
}
