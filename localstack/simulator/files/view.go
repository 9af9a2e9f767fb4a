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

// observation is an answer about a tenant. It also has the tenant's states between the request and the answer.
type observation struct {
	*fileTenant
	*simulator.Reply
	first  int64  // time of the request, or of the first request with its Idempotency-Key
	by     string // tenant of the client
	kind   string // files or collections
	id     string // "" for a list or a creation
	query  url.Values
	asked  fileView // request body
	shown  fileView
	during []fileState
}

// checkSeen checks that each answer was true at some time between the request and the answer. For a replay, this time
// begins at the first request with the Idempotency-Key.
func (f *files) checkSeen() {
	first := map[string]int64{}
	for _, r := range f.Replies {
		if at, known := first[r.Keyed()]; r.IdempotencyKey != "" && (!known || r.Asked < at) {
			first[r.Keyed()] = r.Asked
		}
	}
	for _, r := range f.Replies {
		f.recordLinks(r.Response)
		for _, c := range f.tenants {
			rest, ours := strings.CutPrefix(r.Path, c.path(""))
			if !r.Received || !ours {
				continue
			}
			s := observation{fileTenant: c, Reply: r, first: r.Asked, by: r.Tenant}
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

func (s observation) check() {
	if s.by != s.fileTenant.Tenant {
		_, merchant, _ := strings.Cut(s.by, "#")
		if s.Status < 400 && merchant != s.Merchant { // otherwise the answer may be about the other mode's files
			s.Find("", "another merchant was answered %d %s", s.Status, s.Response.Body)
		}
		return
	}
	if holds := s.meaning(); holds != nil && !slices.ContainsFunc(s.during, holds) {
		s.Find("", "%s %s %s was answered %d %s, which was not so at any time", s.Method, s.Path, s.Sent(), s.Status,
			s.Response.Body)
	}
}

// meaning returns the condition that the answer asserts about a state, or nil.
func (s observation) meaning() func(fileState) bool {
	switch {
	case s.Status == http.StatusNotFound, s.Status == http.StatusNoContent:
		return func(at fileState) bool { return s.record(at) == nil }
	case s.Status == http.StatusConflict:
		return s.conflict()
	case s.Status == http.StatusBadRequest:
		return func(at fileState) bool { return at.collections[s.asked.Collection] == nil }
	case s.Status >= 300 || s.Status < 200:
		return nil
	case s.Method == http.MethodGet && s.id == "":
		return s.listed()
	case s.Method == http.MethodPost: // a repeated request shows the current state of the new record
		made := func(at fileState) bool { return s.fits(s.records(at)[s.shown.ID]) }
		if !slices.ContainsFunc(s.during, made) {
			s.Find("", "%s %s made something else: %s", s.Path, s.Sent(), s.Response.Body)
		}
		return func(at fileState) bool { return matches(s.records(at)[s.shown.ID], s.shown) }
	default:
		return func(at fileState) bool { return matches(s.record(at), s.shown) && s.fits(s.record(at)) }
	}
}

func (s observation) record(at fileState) calls.Item { return s.records(at)[s.id] }

// matches returns true if a record matches its view.
func matches(i calls.Item, shown fileView) bool {
	return i != nil && i.Text("status") == shown.Status && i.Text("collection_id") == shown.Collection &&
		i.Text("checksum_sha256") == shown.Checksum && i.Number("size") == shown.Size &&
		i.Number("files_count") == shown.Files && i.Text("name") == shown.Name &&
		i.Text("filename") == shown.Filename &&
		i.Text("content_type") == shown.ContentType
}

// fits returns true if a record has the values of the request.
func (s observation) fits(i calls.Item) bool {
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

func (s observation) conflict() func(fileState) bool {
	says := func(text string) bool { return strings.Contains(string(s.Response.Body), text) }
	status := func(of func(fileState) string, want ...string) func(fileState) bool {
		return func(at fileState) bool { return slices.Contains(want, at.collections[of(at)].Text("status")) }
	}
	itself := func(fileState) string { return s.id }
	// The platform reads a file before its collection, and the file may be deleted in between.
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
		return func(at fileState) bool { return !s.wasAlwaysUploaded(at.files[s.id].Text("object")) }
	case says("The content"):
		return func(at fileState) bool { return at.files[s.id] == nil }
	default:
		return nil
	}
}

// lastUntil returns the last version of the request's file that existed at or before a time.
func (s observation) lastUntil(at fileState) (last calls.Item) {
	for _, state := range s.during {
		if one := state.files[s.id]; one != nil && state.since <= at.since {
			last = one
		}
	}
	return last
}

// wasAlwaysUploaded returns true if one version of an object existed from the request to the answer.
func (s observation) wasAlwaysUploaded(key string) bool {
	return slices.ContainsFunc(s.files.versions[key], func(v *version) bool {
		return v.put < s.Asked && (v.gone == 0 || v.gone > s.Answered)
	})
}

// listed returns a condition on a state: the list shows all records of the state, and no others. A record may be
// missing if it was deleted after the platform read the list's entries, and before it read the page's records.
func (s observation) listed() func(fileState) bool {
	var list struct {
		Items []fileView
		Total int `json:"total_count"`
	}
	if s.Into(&list) != nil {
		s.Find("", "%s lists %s", s.Path, s.Response.Body)
		return nil
	}
	for n, one := range list.Items { // entries were read after the list
		if !slices.ContainsFunc(s.during, func(at fileState) bool { return matches(s.records(at)[one.ID], one) }) {
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
				return later.since > at.since && s.records(later)[id] == nil
			}) {
				return false
			}
		}
		return true
	}
}

// records returns all records of the request's kind.
func (s observation) records(at fileState) map[string]calls.Item {
	if s.kind == "files" {
		return at.files
	}
	return at.collections
}

// filtered returns the records that match the filters of a list.
func (s observation) filtered(at fileState) map[string]calls.Item {
	want := map[string]calls.Item{}
	for id, i := range s.records(at) {
		status := s.query.Get("status")
		matches := status == i.Text("status") || status == "" && (s.kind == "files" || i.Text("status") != "archived")
		if in := s.query.Get("collection_id"); matches && (in == "" || in == i.Text("collection_id")) {
			want[id] = i
		}
	}
	return want
}
