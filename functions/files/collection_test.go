package files_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func TestCreateCollection(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var made []collection
	for _, c := range []struct {
		body fields
		want collection
	}{
		{fields{"name": "Onboarding"}, collection{Name: "Onboarding"}},
		{fields{"name": "Steuer", "description": "Für 2026", "metadata": fields{"year": 2026}},
			collection{Name: "Steuer", Description: "Für 2026", Metadata: json.RawMessage(`{"year":2026}`)}},
		{fields{"name": "x", "description": "", "metadata": fields{}, "status": "archived", "id": "col_x",
			"files_count": 7}, collection{Name: "x"}},
		{fields{"name": "x", "description": nil, "metadata": nil}, collection{Name: "x"}},
		{fields{"name": strings.Repeat("ä", 255), "description": strings.Repeat("ä", 1000)},
			collection{Name: strings.Repeat("ä", 255), Description: strings.Repeat("ä", 1000)}},
	} {
		s.Clock.Advance(time.Second)
		got := world.Into[collection](s, 201, s.Send("POST", s.CollectionsPath(), c.body))
		want := c.want
		want.ID, want.Status, want.CreatedAt, want.UpdatedAt = got.ID, "open", s.ShownNow(), s.ShownNow()
		if diff := cmp.Diff(want, got); diff != "" || !regexp.MustCompile(`^col_[0-9a-z]{26}$`).MatchString(got.ID) {
			t.Errorf("%v: id %s (-want +got):\n%s", c.body, got.ID, diff)
		}
		if diff := cmp.Diff(got, s.readCollection(got.ID)); diff != "" {
			t.Errorf("%v: read (-want +got):\n%s", c.body, diff)
		}
		made = append(made, got)
	}
	if diff := cmp.Diff(page[collection]{made, len(made)}, s.listCollections("")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

func TestCollections_InvalidRequests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("Onboarding")
	many := fields{}
	for i := range 65 {
		many[fmt.Sprint(i)] = 1
	}
	for what, one := range map[string]struct {
		body fields
		want world.Refusal
	}{
		"a long name":        {fields{"name": strings.Repeat("ä", 256)}, world.Invalid("name")},
		"a name of two":      {fields{"name": "a\nb"}, world.Invalid("name")},
		"a number":           {fields{"name": 1}, world.Invalid("name")},
		"a long description": {fields{"description": strings.Repeat("ä", 1001)}, world.Invalid("description")},
		"a controlled one":   {fields{"description": "a\u0000"}, world.Invalid("description")},
		"metadata of text":   {fields{"metadata": "x"}, world.Invalid("metadata")},
		"much metadata":      {fields{"metadata": many}, world.Invalid("metadata")},
	} {
		for method, path := range map[string]string{"POST": s.CollectionsPath(), "PUT": s.collection(c.ID)} {
			body := fields{"name": "x", "status": "open"}
			for name, value := range one.body {
				body[name] = value
			}
			if one.want.Check(t, s.Send(method, path, body)); t.Failed() {
				t.Fatal(what)
			}
		}
	}
	for _, one := range []struct {
		method string
		body   any
		want   world.Refusal
	}{
		{"POST", nil, world.Missing("name")}, {"POST", fields{"name": ""}, world.Missing("name")},
		{"POST", fields{"name": nil}, world.Missing("name")},
		{"PUT", nil, world.Missing("status")}, {"PUT", fields{"name": "x"}, world.Missing("status")},
		{"PUT", fields{"status": ""}, world.Missing("status")}, {"PUT", fields{"status": nil}, world.Missing("status")},
		{"PUT", fields{"status": "Open"}, world.Invalid("status")},
		{"PUT", fields{"status": "deleted"}, world.Invalid("status")},
		{"PUT", fields{"status": "open", "name": ""}, world.Invalid("name")},
	} {
		path := s.CollectionsPath()
		if one.method == "PUT" {
			path = s.collection(c.ID)
		}
		one.want.Check(t, s.Send(one.method, path, one.body))
	}
	for _, query := range []string{"?status=deleted", "?status=open,closed", "?status=open&status=closed",
		"?status=open&status=open"} {
		world.Invalid("status").Check(t, s.Send("GET", s.CollectionsPath()+query, nil))
	}
	if diff := cmp.Diff(page[collection]{[]collection{c}, 1}, s.listCollections("")); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

// TestUpdateCollection_Status opens and closes a collection repeatedly, then archives it. Setting the same status again
// changes nothing.
func TestUpdateCollection_Status(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("Onboarding")
	for _, status := range []string{"open", "closed", "closed", "open", "closed", "archived", "archived"} {
		s.Clock.Advance(time.Second)
		if c.Status != status {
			c.Status, c.UpdatedAt = status, s.ShownNow()
		}
		if diff := cmp.Diff(c, s.setStatus(c.ID, status)); diff != "" || !cmp.Equal(c, s.readCollection(c.ID)) {
			t.Errorf("%s: read %t (-want +got):\n%s", status, diff == "", diff)
		}
	}
	for _, body := range []fields{{"status": "open"}, {"status": "closed"}, {"status": "archived", "name": "other"},
		{"status": "archived", "description": "other"}, {"status": "archived", "metadata": fields{"a": 1}}} {
		conflict.Check(t, s.Send("PUT", s.collection(c.ID), body))
	}
	same := s.Send("PUT", s.collection(c.ID), fields{"status": "archived", "name": "Onboarding", "description": ""})
	if diff := cmp.Diff(c, world.Into[collection](s, 200, same)); diff != "" {
		t.Errorf("the same again (-want +got):\n%s", diff)
	}
	other := s.createCollection("straight")
	if got := s.setStatus(other.ID, "archived"); got.Status != "archived" {
		t.Errorf("got %+v, want it archived", got)
	}
}

func TestUpdateCollection(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("Onboarding")
	for _, one := range []struct {
		body                    fields
		name, description, meta string
	}{
		{fields{"name": "Steuer"}, "Steuer", "", ""},
		{fields{"description": "2026", "metadata": fields{"a": 1, "b": 2}}, "Steuer", "2026", `{"a":1,"b":2}`},
		{fields{"name": nil, "description": nil, "metadata": nil}, "Steuer", "2026", `{"a":1,"b":2}`},
		{fields{"metadata": fields{"c": nil}, "files_count": 5, "id": "x"}, "Steuer", "2026", `{"c":null}`},
		{fields{"description": "", "metadata": fields{}}, "Steuer", "", ""},
	} {
		s.Clock.Advance(time.Second)
		one.body["status"] = "open"
		want := c
		want.Name, want.Description, want.Metadata = one.name, one.description, nil
		if one.meta != "" {
			want.Metadata = json.RawMessage(one.meta)
		}
		if !cmp.Equal(want, c) {
			want.UpdatedAt = s.ShownNow()
		}
		c = world.Into[collection](s, 200, s.Send("PUT", s.collection(c.ID), one.body))
		if diff := cmp.Diff(want, c); diff != "" || !cmp.Equal(c, s.readCollection(c.ID)) {
			t.Errorf("%v: read %t (-want +got):\n%s", one.body, diff == "", diff)
		}
	}
}

func TestListCollections_Pages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const many = 27
	var ids []string
	for i := range many {
		ids = append(ids, s.createCollection(fmt.Sprint(i)).ID) // each two share a time; the list orders them by id
		if i%2 == 0 {
			s.Clock.Advance(time.Second)
		}
	}
	closed, archived := ids[3], ids[5]
	s.setStatus(closed, "closed")
	s.setStatus(archived, "archived")
	var listed []string
	for _, query := range []string{"?limit=25", "?offset=25&limit=25"} {
		got := s.listCollections(query)
		if got.Total != many-1 {
			t.Errorf("%s: got total %d, want %d", query, got.Total, many-1)
		}
		for _, c := range got.Items {
			listed = append(listed, c.ID)
		}
	}
	at := map[string]time.Time{}
	for _, id := range listed {
		at[id] = s.readCollection(id).CreatedAt
	}
	for i := range len(listed) - 1 {
		if before, after := listed[i], listed[i+1]; at[before].After(at[after]) || len(at) != many-1 {
			t.Errorf("got %s before %s, and %d different ones, want the oldest first, of %d", before, after, len(at), many-1)
		}
	}
	for query, want := range map[string]struct{ items, total int }{
		"": {10, many - 1}, "?status=open": {10, many - 2}, "?status=open&offset=20": {many - 22, many - 2},
		"?status=closed": {1, 1}, "?status=archived": {1, 1}, "?offset=1000000": {0, many - 1},
	} {
		if got := s.listCollections(query); got.Total != want.total || len(got.Items) != want.items {
			t.Errorf("%q: got %d of %d, want %d of %d", query, len(got.Items), got.Total, want.items, want.total)
		}
	}
	if got := s.listCollections("?status=archived"); got.Items[0].ID != archived {
		t.Errorf("archived: got %+v, want %s", got, archived)
	}
	for query, param := range map[string]string{"?limit=0": "limit", "?limit=x": "limit", "?offset=-1": "offset"} {
		world.Invalid(param).Check(t, s.Send("GET", s.CollectionsPath()+query, nil))
		world.Invalid(param).Check(t, s.Send("GET", s.FilesPath()+query, nil))
	}
}

// TestFiles_OfOtherTenant checks that collections and files of other merchants and the other mode seem not to exist.
func TestFiles_OfOtherTenant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	live, test := s.newLiveShop()
	other := shop{s.OtherShop()}
	c := live.createCollection("live")
	file := live.NewFile(world.PDF, fields{"collection_id": c.ID})
	for who, by := range map[string]shop{"test mode": test, "another merchant": other} {
		for _, id := range []string{c.ID, "col_x", strings.Repeat("c", 2000), "%00", c.ID + "%2F"} {
			notFound.Check(t, by.Send("GET", by.collection(id), nil))
			notFound.Check(t, by.Send("PUT", by.collection(id), fields{"status": "closed"}))
		}
		for _, id := range []string{file.ID, "file_x", strings.Repeat("f", 2000), "%00"} {
			notFound.Check(t, by.Send("GET", by.path(id), nil))
			notFound.Check(t, by.update(id, fields{"status": "uploaded"}))
			notFound.Check(t, by.Send("DELETE", by.path(id), nil))
		}
		if got := by.listCollections(""); got.Total != 0 || len(got.Items) != 0 {
			t.Errorf("%s: got %+v, want none", who, got)
		}
		if got := by.listFiles("?collection_id=" + c.ID); got.Total != 0 {
			t.Errorf("%s: got %+v, want none", who, got)
		}
		invalid := world.Invalid("collection_id")
		invalid.Check(t, by.Send("POST", by.FilesPath(), fields{"filename": "a.pdf", "content_type": "application/pdf",
			"size": 1, "collection_id": c.ID}))
		own := by.NewFile(world.PDF, nil)
		invalid.Check(t, by.update(own.ID, fields{"collection_id": c.ID}))
	}
	for _, path := range []string{live.FilesPath(), live.CollectionsPath(), live.path(file.ID), live.collection(c.ID)} {
		notFound.Check(t, other.Send("GET", path, nil))
	}
	if got := live.readCollection(c.ID); got.Status != "open" || got.Files != 1 {
		t.Errorf("got %+v, want it as it was", got)
	}
}
