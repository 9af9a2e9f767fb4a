package files

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/file"
	objects "github.com/cashwrap/cashwrap/shared/file/s3"
	"github.com/cashwrap/cashwrap/shared/store"
)

type fileState struct {
	since              int64                 // in logical time
	files, collections map[string]calls.Item // by id
	counted            [2]int                // files and collections
}

func (s fileState) countIn(collection string) (n int) {
	for _, f := range s.files {
		if f.Text("collection_id") == collection {
			n++
		}
	}
	return n
}

// isFilePartition returns true for a partition with a tenant's files, or with entries of objects.
func isFilePartition(pk string) bool {
	return slices.Contains([]store.Kind{store.KindFiles, store.KindObjects}, calls.Partition(pk).Kind)
}

// Committing checks the state after each write.
func (f *files) Committing(by *simulator.Invocation, operation string, body []byte) (committed func()) {
	if operation == "BatchGetItem" || operation == "GetItem" || operation == "Query" ||
		!slices.ContainsFunc(calls.ValuesOf(string(body), "pk"), isFilePartition) {
		return func() {}
	}
	return func() {
		if w, first := f.ReadWrite(body); first {
			f.checkAudit(w)
		}
		f.recordStates()
		for _, c := range f.tenants {
			if n := len(c.history); n > 1 {
				c.checkChange(by, c.history[n-2], c.history[n-1])
			}
		}
	}
}

// checkAudit checks that each change of a file or a collection writes one audit entry, and that other writes have none.
func (f *files) checkAudit(w simulator.Write) {
	changed, entries := map[string]bool{}, 0
	for _, i := range slices.Concat(w.Puts, w.Deleted) {
		sk := i.Text("sk")
		if i.Kind() == store.KindFiles && (strings.HasPrefix(sk, "FILE#") || strings.HasPrefix(sk, "COLLECTION#")) {
			changed[sk] = true
		}
		if i.Kind() == store.KindAudit {
			entries++
		}
	}
	books.CheckEntryCount(f.World, simulator.Sorted(changed), entries)
}

// readItems returns the items of files and their objects from the stream, because reading the table each time is slow.
func (f *files) readItems() map[string]calls.Item {
	f.ReadStream()
	f.Record(func() {
		for _, c := range f.Changes[f.appliedChanges:] {
			pk, sk := c.Change.Keys["pk"].String(), c.Change.Keys["sk"].String()
			if delete(f.currentItems, pk+" "+sk); c.EventName != "REMOVE" && isFilePartition(pk) {
				f.currentItems[pk+" "+sk] = c.Image()
			}
		}
		f.appliedChanges = len(f.Changes)
	})
	return f.currentItems
}

// recordStates records the current state of all tenants, and checks it.
func (f *files) recordStates() {
	items := f.readItems()
	for _, c := range f.tenants {
		s := c.checkRecords(items)
		s.since = f.LogicalTime()
		f.Record(func() { c.history = append(c.history, s) })
	}
	f.checkObjects(items)
}

type fileRecords struct {
	fileState
	listed [2]map[string]calls.Item // list entries, by id
	gone   map[string]calls.Item    // records of deleted files, by id
	counts [2]calls.Item
	doomed int // entries of objects whose files are gone; they count as files
}

func (c *fileTenant) recordsIn(items map[string]calls.Item) fileRecords {
	r := fileRecords{fileState: fileState{files: map[string]calls.Item{}, collections: map[string]calls.Item{}},
		listed: [2]map[string]calls.Item{{}, {}}, gone: map[string]calls.Item{}}
	for _, i := range items {
		if i.Kind() == store.KindObjects && ownerOf(i) == c.Tenant && i.Text("state") == string(file.ObjectDoomed) {
			r.doomed++
		}
		if i.Kind() != store.KindFiles || i.Tenant() != c.Tenant {
			continue
		}
		kind, rest, _ := strings.Cut(i.Text("sk"), "#")
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
		r.counted[n] = r.counts[n].Number("count")
	}
	return r
}

// checkRecords checks that lists and counts match the records. A deleted file counts until S3 has deleted its content
// for good.
func (c *fileTenant) checkRecords(items map[string]calls.Item) fileState {
	r := c.recordsIn(items)
	for n, of := range []map[string]calls.Item{r.files, r.collections} {
		what := []string{"files", "collections"}[n]
		if want := len(of) + []int{r.doomed, 0}[n] + c.others[n]; r.counted[n] != want {
			c.Find("", "%s counts %d %s, and has %d", c.Name, r.counted[n], what, want)
		}
		if most := []int{file.MaxFiles, file.MaxCollections}[n]; r.counted[n] > most {
			c.Find("", "%s has %d %s, and may have %d", c.Name, r.counted[n], what, most)
		}
		if got, want := simulator.Sorted(r.listed[n]), simulator.Sorted(of); !slices.Equal(got, want) {
			c.Find("", "%s lists the %s %v, and has %v", c.Name, what, got, want)
		}
		for _, id := range simulator.Sorted(of) {
			listed := r.listed[n][id]
			for _, field := range []string{"status", "collection_id"} {
				if listed != nil && listed.Text(field) != of[id].Text(field) {
					c.Find("", "%s has the %s %q, and is listed with %q", id, field, of[id].Text(field), listed.Text(field))
				}
			}
		}
	}
	for _, id := range simulator.Sorted(r.collections) {
		if got, want := r.collections[id].Number("files_count"), r.countIn(id); got != want {
			c.Find("", "collection %s counts %d files, and has %d", id, got, want)
		}
	}
	for _, id := range simulator.Sorted(r.files) {
		if at := r.files[id].Text("collection_id"); at != "" && r.collections[at] == nil {
			c.Find("", "file %s is in the collection %s, which its merchant does not have", id, at)
		}
		if r.gone[id] != nil {
			c.Find("", "file %s was deleted, and is there again", id)
		}
	}
	return r.fileState
}

// fixedMembers lists the members of a file that never change.
var fixedMembers = []string{"filename", "content_type", "size", "object", "created_at"}

// checkChange checks that files and collections change as contract §8.3 allows.
func (c *fileTenant) checkChange(by *simulator.Invocation, before, after fileState) {
	open := func(id string) bool { return id == "" || before.collections[id].Text("status") == string(file.Open) }
	archived := func(id string) bool { return before.collections[id].Text("status") == string(file.Archived) }
	for _, id := range simulator.Sorted(after.files) {
		was, is := before.files[id], after.files[id]
		from, to := was.Text("collection_id"), is.Text("collection_id")
		completed := was.Text("status") != "uploaded" && is.Text("status") == "uploaded"
		moved := was == nil || from != to
		switch {
		case (moved || completed) && !open(to):
			c.Find("", "file %s came into the collection %s, or was uploaded there, and that is %s", id, to,
				before.collections[to].Text("status"))
		case moved && archived(from):
			c.Find("", "file %s left the collection %s, which is archived", id, from)
		case was == nil && is.Text("status") != "pending":
			c.Find("", "file %s is made %s", id, is.Text("status"))
		case was.Text("status") == "uploaded" && (is.Text("status") != "uploaded" || changed(was, is,
			"checksum_sha256", "revision", "uploaded_at")), was != nil && changed(was, is, fixedMembers...):
			c.Find("", "file %s changed from %v to %v", id, was, is)
		}
	}
	for _, id := range simulator.Sorted(before.files) {
		if after.files[id] == nil {
			c.checkEnd(by, before.files[id], archived(before.files[id].Text("collection_id")))
		}
	}
	for _, id := range simulator.Sorted(before.collections) {
		was, is := maps.Clone(before.collections[id]), maps.Clone(after.collections[id])
		for _, i := range []calls.Item{was, is} {
			delete(i, "files_count")
			delete(i, "version")
		}
		if archived(id) && fmt.Sprint(was) != fmt.Sprint(is) {
			c.Find("", "archived collection %s changed from %v to %v", id, was, is)
		}
	}
}

func changed(was, is calls.Item, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return was.Text(name) != is.Text(name) })
}

// checkEnd checks the reason why a file ended: a client deleted it, its content was wrong, or it was not uploaded in
// time.
func (c *fileTenant) checkEnd(by *simulator.Invocation, was calls.Item, archived bool) {
	id := was.Text("id")
	deleted := c.Read(was.Text("pk"), "DELETED#"+id)
	versions := c.files.versions[was.Text("object")]
	switch pending := was.Text("status") == "pending"; {
	case len(deleted) == 0:
		c.Find("", "nothing is kept of the deleted file %s", id)
	case by.Name == "sweep" && (!pending || c.Now().Sub(was.Time("created_at")) < file.PendingTime-2*simulator.MaxSkew):
		c.Find("", "%s file %s was dropped after %v", was.Text("status"), id, c.Now().Sub(was.Time("created_at")))
	case by.Name == "sweep":
	case deleted.Text("reason") != "" && (!pending || !slices.ContainsFunc(versions, func(v *version) bool {
		return strings.HasPrefix(v.content, program)
	})):
		c.Find("", "%s file %s was dropped, and its content was right", was.Text("status"), id)
	case deleted.Text("reason") != "":
	case !c.files.deletions[id]:
		c.Find("", "file %s was deleted, and nobody asked for it", id)
	case archived:
		c.Find("", "file %s was deleted in an archived collection", id)
	}
}

// checkFiles checks at the end that each file is uploaded, and that its object has only the file's version.
func (f *files) checkFiles() {
	items := f.Scan()
	want := map[string]string{}
	for _, i := range items {
		if i.Kind() == store.KindObjects {
			want[file.Prefix+i.Text("sk")] = i.Text("revision")
			if i.Text("state") != "uploaded" {
				f.Find("", "object %s is left %s", i.Text("sk"), i.Text("state"))
			}
		}
	}
	found := map[string]string{}
	// These calls bypass the scheduler.
	at := objects.New(aws.Config{Region: f.Config.Region, Credentials: simulator.Credentials,
		HTTPClient: simulator.PlainClient(f.engine), BaseEndpoint: &f.Config.S3Endpoint}, runner.Bucket)
	for one, err := range at.List(context.Background(), file.Prefix, "") {
		f.Must(err)
		if found[one.Key] += one.Revision; one.Deletion {
			f.Find("", "object %s has a marker of a deletion", one.Key)
		}
	}
	if !maps.Equal(found, want) {
		f.Find("", "S3 has the objects %v, and the table %v", found, want)
	}
	f.checkSecrets(items)
	f.checkSeen()
	f.FindLogged("reconciliation break", "an object with a file")
}

// checkSecrets checks that no link is stored or logged.
func (f *files) checkSecrets(items []calls.Item) {
	dump, _ := json.Marshal(items)
	for _, signature := range f.links {
		if strings.Contains(string(dump), signature) || len(f.Errors.About(signature)) > 0 {
			f.Find("", "the signature %s of a link is kept", signature)
		}
	}
}
