package files_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// fileCounts returns the number of files in each of the collections.
func (s shop) fileCounts(all ...collection) (counts []int) {
	s.Helper()
	for _, c := range all {
		counts = append(counts, s.readCollection(c.ID).Files)
	}
	return counts
}

func TestUpdateFile_Move(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.createCollection("a"), s.createCollection("b")
	for _, f := range []world.File{s.NewFile(world.PDF, nil), s.UploadedFile(world.PDF, nil)} {
		f.Upload = nil
		for _, c := range []struct {
			to     string
			counts []int
		}{{a.ID, []int{1, 0}}, {a.ID, []int{1, 0}}, {b.ID, []int{0, 1}}, {"", []int{0, 0}}, {"", []int{0, 0}},
			{b.ID, []int{0, 1}}} {
			s.Clock.Advance(time.Second)
			if f.Collection != c.to {
				f.Collection, f.UpdatedAt = c.to, s.ShownNow()
			}
			if diff := cmp.Diff(f, s.ShownFile(200, s.update(f.ID, fields{"collection_id": c.to}))); diff != "" {
				t.Errorf("to %q (-want +got):\n%s", c.to, diff)
			}
			read := s.readFile(f.ID)
			read.DownloadURL = ""
			if diff := cmp.Diff(f, read); diff != "" {
				t.Errorf("to %q, read (-want +got):\n%s", c.to, diff)
			}
			if diff := cmp.Diff(c.counts, s.fileCounts(a, b)); diff != "" {
				t.Errorf("to %q, counts (-want +got):\n%s", c.to, diff)
			}
		}
		if got := s.listFiles("?collection_id=" + b.ID); got.Total != 1 || got.Items[0].ID != f.ID {
			t.Errorf("listed: got %+v, want the file", got)
		}
		s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
		if diff := cmp.Diff([]int{0, 0}, s.fileCounts(a, b)); diff != "" {
			t.Errorf("deleted, counts (-want +got):\n%s", diff)
		}
	}
}

// TestUpdateFile_MoveAndComplete checks that one request moves and completes a file, or does neither.
func TestUpdateFile_MoveAndComplete(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	open, closed := s.createCollection("open"), s.createCollection("closed")
	s.setStatus(closed.ID, "closed")
	f := s.NewFile(world.PDF, nil)
	both := fields{"status": "uploaded", "collection_id": open.ID}
	conflict.Check(t, s.update(f.ID, both)) // nothing is uploaded
	s.put("upload", 200, f.Upload, world.PDF)
	conflict.Check(t, s.update(f.ID, fields{"status": "uploaded", "collection_id": closed.ID}))
	world.Invalid("collection_id").Check(t, s.update(f.ID, fields{"status": "uploaded", "collection_id": "col_x"}))
	if got := s.readFile(f.ID); got.Status != "pending" || got.Collection != "" {
		t.Errorf("got %+v, want it pending, in no collection", got)
	}
	if got := s.ShownFile(200, s.update(f.ID, both)); got.Status != "uploaded" || got.Collection != open.ID {
		t.Errorf("got %+v, want both", got)
	}
	if diff := cmp.Diff([]int{1, 0}, s.fileCounts(open, closed)); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestUpdateFile_Invalid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, nil)
	for what, c := range map[string]struct {
		body any
		want world.Refusal
	}{
		"nothing":           {nil, world.Missing("status")},
		"no field":          {fields{}, world.Missing("status")},
		"nulls":             {fields{"status": nil, "collection_id": nil}, world.Missing("status")},
		"another field":     {fields{"filename": "b.pdf", "metadata": fields{}}, world.Missing("status")},
		"no status":         {fields{"status": ""}, world.Invalid("status")},
		"back to pending":   {fields{"status": "pending"}, world.Invalid("status")},
		"capitals":          {fields{"status": "UPLOADED"}, world.Invalid("status")},
		"a number":          {fields{"collection_id": 1}, world.Invalid("collection_id")},
		"no collection":     {fields{"collection_id": "col_x"}, world.Invalid("collection_id")},
		"a file":            {fields{"collection_id": f.ID}, world.Invalid("collection_id")},
		"a long collection": {fields{"collection_id": strings.Repeat("c", 3000)}, world.Invalid("collection_id")},
	} {
		if c.want.Check(t, s.update(f.ID, c.body)); t.Failed() {
			t.Fatal(what)
		}
	}
	f.Upload = nil
	if diff := cmp.Diff(f, s.readFile(f.ID)); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

// TestUpdateFile_ClosedOrArchivedCollection checks which changes of the files in a closed or archived collection are
// allowed. For a refused completion the content is not even read.
func TestUpdateFile_ClosedOrArchivedCollection(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	open := s.createCollection("open")
	for status, lets := range map[string]bool{"closed": true, "archived": false} {
		c := s.createCollection(status)
		in := fields{"collection_id": c.ID}
		pending, wrong := s.NewFile(world.PDF, in), s.NewFile("MZ", in)
		moved, deleted, kept := s.UploadedFile(world.PDF, in), s.UploadedFile(world.PDF, in), s.UploadedFile(world.PDF, in)
		loose := s.NewFile(world.PDF, nil)
		s.put("upload", 200, pending.Upload, world.PDF)
		s.put("upload", 200, wrong.Upload, "MZ")
		s.setStatus(c.ID, status)
		for what, got := range map[string]world.Response{
			"create":                s.Send("POST", s.FilesPath(), fileBody(in)),
			"complete":              s.CompleteFile(pending.ID),
			"complete what differs": s.CompleteFile(wrong.ID),
			"move in":               s.update(loose.ID, in),
			"move in and complete":  s.update(loose.ID, fields{"collection_id": c.ID, "status": "uploaded"}),
		} {
			if conflict.Check(t, got); t.Failed() {
				t.Fatalf("%s: %s", status, what)
			}
		}
		s.Want("again", 200, s.CompleteFile(kept.ID)) // already uploaded: nothing changes
		s.Want("to where it is", 200, s.update(kept.ID, in))
		n, moves, deletes := 5, 409, 409
		if lets {
			n, moves, deletes = 2, 200, 204
		}
		s.Want(status+": move", moves, s.update(moved.ID, fields{"collection_id": open.ID}))
		s.Want(status+": delete", deletes, s.Send("DELETE", s.path(deleted.ID), nil))
		s.Want(status+": move a pending one", moves, s.update(pending.ID, fields{"collection_id": ""}))
		if got := s.readCollection(c.ID); got.Files != n {
			t.Errorf("%s: got %+v, want %d files", status, got, n)
		}
		if lets {
			s.Want("complete outside", 200, s.CompleteFile(pending.ID))
			s.setStatus(c.ID, "open")
			conflict.Check(t, s.CompleteFile(wrong.ID))
			notFound.Check(t, s.CompleteFile(wrong.ID))
		} else {
			conflict.Check(t, s.Send("DELETE", s.path(pending.ID), nil))
		}
	}
}

// setCounts sets a tenant's counts of files and collections. Each count becomes its limit (contract §8.3) minus below.
func (s shop) setCounts(tenant identity.Tenant, below int) {
	s.Helper()
	_, table := s.App.Store.Raw()
	for name, limit := range map[string]int{"COUNT#FILES": 5000, "COUNT#COLLECTIONS": 1000} {
		err := table.Update("pk", "FILES#"+tenant.String()).Range("sk", name).Set("count", limit-below).Run(s.Context())
		if err != nil {
			s.Fatal(err)
		}
	}
}

// TestFiles_Limits checks that at the limit no other file or collection can be created. The upload link of a deleted
// file works until it expires. So a deleted file counts against the limit until the link has expired and the content is
// deleted.
func TestFiles_Limits(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, nil)
	s.createCollection("first")
	s.setCounts(s.Tenant(), 1)
	create := world.Request{Method: "POST", Path: s.FilesPath(), Body: fileBody(nil)}
	if got := s.DoConcurrently(4, create); got[201] != 1 || got[409] != 3 {
		t.Errorf("files: got %v, want one 201 and three 409", got)
	}
	if got := s.DoConcurrently(4, world.Request{Method: "POST", Path: s.CollectionsPath(),
		Body: fields{"name": "x"}}); got[201] != 1 || got[409] != 3 {
		t.Errorf("collections: got %v, want one 201 and three 409", got)
	}
	conflict.Check(t, s.Do(create))
	conflict.Check(t, s.Send("POST", s.CollectionsPath(), fields{"name": "x"}))
	shop{s.OtherShop()}.NewFile(world.PDF, nil)
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.put("late", 200, f.Upload, world.PDF)
	conflict.Check(t, s.Do(create))
	s.Clock.Advance(75*time.Minute - time.Millisecond)
	s.RunUntilIdle()
	conflict.Check(t, s.Do(create))
	s.Clock.Advance(time.Minute)
	s.RunUntilIdle()
	s.Want("create", 201, s.Do(create))
	conflict.Check(t, s.Do(create))
}

// TestFiles_LimitsPerMode checks that a merchant at the limit in one mode can still create files in the other mode.
func TestFiles_LimitsPerMode(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, full := range identity.Modes {
		live, test := s.newLiveShop()
		filled, other := live, test
		if full == identity.Test {
			filled, other = test, live
		}
		filled.NewFile(world.PDF, nil)
		filled.createCollection("first")
		filled.setCounts(identity.Tenant{Mode: full, Merchant: filled.Merchant.Code}, 0)
		conflict.Check(t, filled.Send("POST", filled.FilesPath(), fileBody(nil)))
		conflict.Check(t, filled.Send("POST", filled.CollectionsPath(), fields{"name": "x"}))
		other.NewFile(world.PDF, nil)
		other.createCollection("x")
	}
}
