package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// version is one version of an object at S3.
type version struct {
	id, content, kind string
	put, gone         int64 // logical times; gone is 0 while the version exists
}

// witness serves S3 to clients and to the platform, and records the versions of objects.
type witness struct{ *files }

// RoundTrip answers one request.
func (s witness) RoundTrip(r *http.Request) (*http.Response, error) {
	content, err := sdkcall.Body(r)
	if err != nil {
		return nil, err
	}
	response, err := s.engine.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	now := s.LogicalTime()
	_, key := s3.Named(r)
	switch action := s3.Action(r); {
	case action == "PutObject" && response.StatusCode == http.StatusOK:
		v := &version{id: response.Header.Get("X-Amz-Version-Id"), content: string(content),
			kind: r.Header.Get("Content-Type"), put: now}
		s.Record(func() { s.versions[key] = append(s.versions[key], v) })
		s.checkUpload(key, v)
	case action == "DeleteObjectVersion" && response.StatusCode == http.StatusNoContent:
		for _, v := range s.versions[key] {
			if v.id == r.URL.Query().Get("versionId") && v.gone == 0 {
				s.Record(func() { v.gone = now })
				if e := entryOf(s.readItems(), key); e.Text("state") != "doomed" { // the entry's file still exists
					s.Find("", "object %s was deleted, and is %q", key, e.Text("state"))
				}
			}
		}
	case action == "DeleteObject":
		s.Find("", "%s was deleted without naming a version", key)
	}
	return response, nil
}

type followed struct {
	status int
	header http.Header
	body   string
}

// follow sends a request by a link. The network may lose the request or its reply (follow then returns nil), or deliver
// the request twice or late.
func (f *files) follow(actor, method, url string, headers map[string]string, content string) *followed {
	r, err := http.NewRequestWithContext(context.Background(), method, url, nil)
	f.Must(err)
	label := method + " " + r.URL.Path
	send := func() (*followed, string) {
		again := r.Clone(r.Context())
		for name, value := range headers {
			if http.CanonicalHeaderKey(name) != "Content-Length" { // the content determines it
				again.Header.Set(name, value)
			}
		}
		again.Body, again.ContentLength = io.NopCloser(bytes.NewBufferString(content)), int64(len(content))
		response, err := witness{f}.RoundTrip(again)
		f.Must(err)
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return &followed{response.StatusCode, response.Header, string(body)}, simulator.OutcomeOf(response)
	}
	fault := f.Park(simulator.ToLink, nil, actor, label).Fault
	if fault == faults.ArriveLate || fault == faults.Duplicate {
		f.SendLate(actor, simulator.ToLink, label, func() string { _, outcome := send(); return outcome })
	}
	if fault == faults.FailBefore || fault == faults.ArriveLate {
		f.Note(actor, simulator.ToLink, label, fault.String())
		return nil
	}
	got, outcome := send()
	f.Note(actor, simulator.ToLink, label, outcome)
	if f.Park(simulator.ToClient, nil, actor, label+" "+outcome).Fault == faults.LoseReply {
		return nil
	}
	return got
}

func entryOf(items map[string]calls.Item, key string) calls.Item {
	id := file.ObjectID(key)
	return items["OBJECTS#"+id[:1]+" "+id]
}

func ownerOf(i calls.Item) string {
	t := i.Object("tenant")
	return t.Text("mode") + "#" + t.Text("merchant_code")
}

// checkObjects checks that each object has an entry, and that each entry matches its file unless it is doomed.
func (f *files) checkObjects(items map[string]calls.Item) {
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
		stored := slices.ContainsFunc(f.versions[key], func(v *version) bool { return v.gone == 0 })
		if stored && entryOf(items, key) == nil {
			f.Find("", "object %s has no entry", key)
		}
	}
}

// checkStates checks that an entry begins as pending, and that a doomed entry stays doomed until it is gone for good.
func (f *files) checkStates(items map[string]calls.Item) {
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

// checkContent checks that S3 has the checked content of an uploaded file, as the merchant declared it.
func (f *files) checkContent(one calls.Item) {
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

// CheckCall checks that the platform reaches only objects of a request's tenant.
func (f *files) CheckCall(by *simulator.Invocation, r *http.Request) {
	_, key := s3.Named(r)
	if by.Tenant == "" || key == "" {
		return
	}
	if e := entryOf(f.readItems(), key); e != nil && ownerOf(e) != by.Tenant {
		f.Find("", "%s of %s reached the object %s of %s", by.Actor, by.Tenant, key, ownerOf(e))
	}
}

// checkUpload checks an object that S3 has accepted. The object must have an entry, must have come in time, and must
// have the declared size and checksum.
func (f *files) checkUpload(key string, v *version) {
	e := entryOf(f.readItems(), key)
	d := f.documents[e.Text("file")]
	until := e.Time("link_until")
	switch {
	case e == nil:
		f.Find("", "object %s was uploaded without an entry", key)
	case f.Now().After(until.Add(simulator.MaxSkew)):
		f.Find("", "object %s was uploaded at %v, and its link ended at %v", key, f.Now(), until)
	case d != nil && (len(v.content) != len(d.content) || d.checksum && v.content != d.content || v.kind != d.kind):
		f.Find("", "object %s was uploaded as %q of %s", key, v.content, v.kind)
	}
}
