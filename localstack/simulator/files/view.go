package files

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/file"
)

// seen is an answer about a tenant, with the states of the tenant from the request on up to the answer.
type seen struct {
	*fileTenant
	*simulator.Reply
	first  int64  // when it was asked
	by     string // tenant of who asked
	kind   string // files or collections
	id     string // "": a list, or one that is made
	query  url.Values
	asked  fileView // the body of the request
	shown  fileView
	during []fileState
}

// checkSeen: each answer was true between request and answer; a replayed one, after the first request with its key.
func (f *files) checkSeen() {
	first := map[string]int64{}
	for _, r := range f.Replies {
		if at, known := first[r.Keyed()]; r.IdempotencyKey != "" && (!known || r.Asked < at) {
			first[r.Keyed()] = r.Asked
		}
	}
	for _, r := range f.Replies {
		f.keepSignature(r.Response)
		for _, c := range f.tenants {
			rest, ours := strings.CutPrefix(r.Path, c.path(""))
			if !r.Received || !ours {
				continue
			}
			s := seen{fileTenant: c, Reply: r, first: r.Asked, by: r.Tenant}
			if at, known := first[r.Keyed()]; known {
				s.first = at
			}
			path, query, _ := strings.Cut(rest, "?")
			s.kind, s.id, _ = strings.Cut(path, "/")
			s.query, _ = url.ParseQuery(query)
			_ = json.Unmarshal([]byte(r.Sent()), &s.asked)
			s.shown = fileOf(r.Response)
			s.during = simulator.During(c.history, s.first, r.Answered, func(at fileState) int64 { return at.since })
			s.check()
		}
	}
}

func (s seen) check() {
	if s.by != s.fileTenant.Tenant {
		_, merchant, _ := strings.Cut(s.by, "#")
		if s.Status < 400 && merchant != s.Merchant { // else it may be about what the other mode has
			s.Find("", "another merchant was answered %d %s", s.Status, s.Response.Body)
		}
		return
	}
	if holds := s.meaning(); holds != nil && !slices.ContainsFunc(s.during, holds) {
		s.Find("", "%s %s %s was answered %d %s, which was not so at any time", s.Method, s.Path, s.Sent(), s.Status,
			s.Response.Body)
	}
}

// meaning returns the condition on a state that the answer asserts; nil: none.
func (s seen) meaning() func(fileState) bool {
	switch {
	case s.Status == http.StatusNotFound, s.Status == http.StatusNoContent:
		return func(at fileState) bool { return s.one(at) == nil }
	case s.Status == http.StatusConflict:
		return s.conflict()
	case s.Status == http.StatusBadRequest:
		return func(at fileState) bool { return at.collections[s.asked.Collection] == nil }
	case s.Status >= 300 || s.Status < 200:
		return nil
	case s.Method == http.MethodGet && s.id == "":
		return s.listed()
	case s.Method == http.MethodPost: // repeated, it shows what has become of what it made
		made := func(at fileState) bool { return s.done(s.listedIn(at)[s.shown.ID]) }
		if !slices.ContainsFunc(s.during, made) {
			s.Find("", "%s %s made something else: %s", s.Path, s.Sent(), s.Response.Body)
		}
		return func(at fileState) bool { return sameView(s.listedIn(at)[s.shown.ID], s.shown) }
	default:
		return func(at fileState) bool { return sameView(s.one(at), s.shown) && s.done(s.one(at)) }
	}
}

func (s seen) one(at fileState) calls.Item { return s.listedIn(at)[s.id] }

// sameView compares a record with the view of it.
func sameView(i calls.Item, shown fileView) bool {
	return i != nil && i.Text("status") == shown.Status && i.Text("collection_id") == shown.Collection &&
		i.Text("checksum_sha256") == shown.Checksum && i.Number("size") == shown.Size &&
		i.Number("files_count") == shown.Files && i.Text("name") == shown.Name &&
		i.Text("filename") == shown.Filename &&
		i.Text("content_type") == shown.ContentType
}

// done compares a record with the request.
func (s seen) done(i calls.Item) bool {
	members := map[string]string{"status": s.asked.Status, "name": s.asked.Name, "filename": s.asked.Filename,
		"content_type": s.asked.ContentType, "checksum_sha256": s.asked.Checksum}
	if strings.Contains(s.Sent(), `"collection_id"`) {
		members["collection_id"] = s.asked.Collection
	}
	for name, want := range members {
		if i.Text(name) != want && (want != "" || name == "collection_id") {
			return false
		}
	}
	return true
}

func (s seen) conflict() func(fileState) bool {
	says := func(text string) bool { return strings.Contains(string(s.Response.Body), text) }
	status := func(of func(fileState) string, want ...string) func(fileState) bool {
		return func(at fileState) bool { return slices.Contains(want, at.collections[of(at)].Text("status")) }
	}
	itself := func(fileState) string { return s.id }
	// A file is read before its collection, and may be deleted between.
	around := func(at fileState) string { return s.lastUntil(at).Text("collection_id") }
	target := around
	if strings.Contains(s.Sent(), `"collection_id"`) {
		target = func(fileState) string { return s.asked.Collection }
	}
	switch {
	case says("It takes no files"):
		return status(target, "closed", "archived")
	case says("It cannot be changed"):
		return status(itself, "archived")
	case says("Nothing in it can be changed"):
		return status(around, "archived")
	case says("as many files"):
		return func(at fileState) bool { return at.counted[0] >= file.MaxFiles }
	case says("as many collections"):
		return func(at fileState) bool { return at.counted[1] >= file.MaxCollections }
	case says("Nothing was uploaded"):
		return func(at fileState) bool { return !s.uploadedAll(at.files[s.id].Text("object")) }
	case says("The content"):
		return func(at fileState) bool { return at.files[s.id] == nil }
	default:
		return nil
	}
}

// lastUntil returns the file that the request names as it was at a time, or when it was last there before.
func (s seen) lastUntil(at fileState) (last calls.Item) {
	for _, state := range s.during {
		if one := state.files[s.id]; one != nil && state.since <= at.since {
			last = one
		}
	}
	return last
}

// uploadedAll reports whether one version of an object was there all the time.
func (s seen) uploadedAll(key string) bool {
	return slices.ContainsFunc(s.files.versions[key], func(v *version) bool {
		return v.put < s.Asked && (v.gone == 0 || v.gone > s.Answered)
	})
}

// listed: a list has all records at the time of its reading, but for those deleted before its page was read.
func (s seen) listed() func(fileState) bool {
	var list struct {
		Items []fileView
		Total int `json:"total_count"`
	}
	if s.Into(&list) != nil {
		s.Find("", "%s lists %s", s.Path, s.Response.Body)
		return nil
	}
	for n, one := range list.Items { // its own were read later
		if !slices.ContainsFunc(s.during, func(at fileState) bool { return sameView(s.listedIn(at)[one.ID], one) }) {
			s.Find("", "%s lists %v, which was never so", s.Path, one)
		}
		if slices.ContainsFunc(list.Items[:n], func(other fileView) bool { return other.ID == one.ID }) {
			s.Find("", "%s lists %s twice", s.Path, one.ID)
		}
	}
	return func(at fileState) bool {
		want := s.filtered(at)
		if len(want) != list.Total {
			return false
		}
		for _, one := range list.Items {
			if want[one.ID] == nil {
				return false
			}
			delete(want, one.ID)
		}
		for id := range want { // it was deleted before the page was read
			if !slices.ContainsFunc(s.during, func(later fileState) bool {
				return later.since > at.since && s.listedIn(later)[id] == nil
			}) {
				return false
			}
		}
		return true
	}
}

// listedIn returns all of the kind that the request is about.
func (s seen) listedIn(at fileState) map[string]calls.Item {
	if s.kind == "files" {
		return at.files
	}
	return at.collections
}

// filtered returns the records that match the filters of a list.
func (s seen) filtered(at fileState) map[string]calls.Item {
	want := map[string]calls.Item{}
	for id, i := range s.listedIn(at) {
		status := s.query.Get("status")
		matches := status == i.Text("status") || status == "" && (s.kind == "files" || i.Text("status") != "archived")
		if in := s.query.Get("collection_id"); matches && (in == "" || in == i.Text("collection_id")) {
			want[id] = i
		}
	}
	return want
}
