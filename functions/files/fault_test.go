package files_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// expireLinks advances the clock beyond every link, and runs the sweep and the queue.
func (s shop) expireLinks() {
	s.Helper()
	s.Clock.Advance(26 * time.Hour)
	s.RunUntilIdle()
	s.PassMinute()
}

// wantOnly fails unless these files, and no others, have records and objects.
func (s shop) wantOnly(what string, ids ...string) {
	s.Helper()
	want, stored, listed := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, id := range ids {
		listed[id] = true
		f := s.readFile(id)
		want[s.objectKey(id)] = id
		if f.Status == "uploaded" {
			stored[s.objectKey(id)] = 1
		}
	}
	got, there := map[string]string{}, map[string]bool{}
	for key, e := range s.readEntries() {
		got[key] = e.File
	}
	for _, f := range s.listFiles("?limit=25").Items {
		there[f.ID] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s: entries (-want +got):\n%s", what, diff)
	}
	if n := s.countFiles(); n != len(got) {
		s.Errorf("%s: got %d files counted, want one for each of the entries %v", what, n, got)
	}
	if diff := cmp.Diff(stored, s.Stored()); diff != "" {
		s.Errorf("%s: objects (-want +got):\n%s", what, diff)
	}
	if diff := cmp.Diff(listed, there); diff != "" {
		s.Errorf("%s: files (-want +got):\n%s", what, diff)
	}
}

// TestCreateFile_Interrupted checks that an interrupted creation, once repeated, makes one file. The repetition's link
// ends when the first request's link ends. A file that is never completed leaves nothing after a day.
func TestCreateFile_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	s.Attempts(4, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.FilesPath(), IdempotencyKey: try,
			Body: fileBody(fields{"collection_id": c.ID})}
		first := send(r)
		if first.Status == 201 {
			s.ShownFile(201, first)
		}
		there := s.listFiles("")
		s.Clock.Advance(time.Minute)
		got := s.ShownFile(201, s.Do(r))
		all := s.listFiles("")
		if all.Total != 1 || all.Items[0].ID != got.ID || there.Total == 1 && there.Items[0].ID != got.ID {
			t.Errorf("%s: got %+v, then %+v, want it and no other", try, there, all)
		}
		if replayed := first.Status == 201; replayed != (got.Upload == nil) {
			t.Errorf("%s: got %d, then upload %+v, want it unless the first showed it", try, first.Status, got.Upload)
		}
		if got.Upload != nil {
			end := got.CreatedAt.Add(15 * time.Minute)
			if !got.Upload.ExpiresAt.Equal(end) {
				t.Errorf("%s: got a link until %s, want %s", try, got.Upload.ExpiresAt, end)
			}
			s.put(try, 200, got.Upload, world.PDF)
		}
		s.expireLinks()
		s.wantNothingLeft(try)
		if got := s.readCollection(c.ID); got.Files != 0 {
			t.Errorf("%s: got %+v, want it empty", try, got)
		}
	})
}

// TestCreateFile_RepeatedLate checks that a late repetition shows no link, because the first request's link has ended.
func TestCreateFile_RepeatedLate(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := world.Request{Method: "POST", Path: s.FilesPath(), IdempotencyKey: "k", Body: fileBody(nil),
		APIKey: s.Merchant.Key.Plaintext}
	for step := 1; s.listFiles("").Total == 0; step++ {
		p := s.Process()
		p.Steps.Plan(step, faults.DieAfter)
		p.Do(r)
		s.Clock.Advance(time.Minute + time.Second)
	}
	s.Clock.Advance(15 * time.Minute)
	if got := s.ShownFile(201, s.Do(r)); got.Upload != nil || got.Status != "pending" {
		t.Errorf("got %+v, want it without a link", got)
	}
}

// TestUpdateFile_CompleteInterrupted checks that an interrupted completion, once repeated, leaves the file uploaded.
func TestUpdateFile_CompleteInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	s.Attempts(6, func(try string, send func(world.Request) world.Response) {
		f := s.NewFile(world.PDF, fields{"collection_id": c.ID})
		s.put(try, 200, f.Upload, world.PDF)
		r := world.Request{Method: "PUT", Path: s.path(f.ID), IdempotencyKey: try, Body: fields{"status": "uploaded"}}
		send(r)
		s.Clock.Advance(time.Minute)
		if got := s.ShownFile(200, s.Do(r)); got.Status != "uploaded" {
			t.Errorf("%s: got %+v, want it uploaded", try, got)
		}
		s.expireLinks()
		s.wantOnly(try, f.ID)
		if status, _, body := s.Get(s.readFile(f.ID).DownloadURL); status != 200 || body != world.PDF {
			t.Errorf("%s: got %d %q, want the content", try, status, body)
		}
		s.Want(try, 204, s.Send("DELETE", s.path(f.ID), nil))
	})
}

// TestUpdateFile_RefusedInterrupted interrupts a completion that is refused because of the content. It checks that
// nothing is left of the file, whether or not the completion is repeated, and that a repetition is refused too.
func TestUpdateFile_RefusedInterrupted(t *testing.T) {
	t.Parallel()
	for _, repeated := range []bool{true, false} {
		t.Run(fmt.Sprint("repeated ", repeated), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			c := s.createCollection("all")
			s.Attempts(8, func(try string, send func(world.Request) world.Response) {
				f := s.NewFile("MZ", fields{"collection_id": c.ID})
				s.put(try, 200, f.Upload, "MZ")
				r := world.Request{Method: "PUT", Path: s.path(f.ID), IdempotencyKey: try, Body: fields{"status": "uploaded"}}
				send(r)
				if repeated {
					s.Clock.Advance(time.Minute)
					got := s.Do(r)
					if conflict.Check(t, got); got.Text("detail") != "The content is not of the content_type application/pdf." {
						t.Errorf("%s: got %s, want why", try, got.Body)
					}
					notFound.Check(t, s.Send("GET", s.path(f.ID), nil))
				}
				s.expireLinks()
				s.wantNothingLeft(try)
				if got := s.readCollection(c.ID); got.Files != 0 {
					t.Errorf("%s: got %+v, want it empty", try, got)
				}
			})
		})
	}
}

// TestDeleteFile_Interrupted checks that an interrupted deletion, once repeated, deletes the file and its content.
// Content that is uploaded later by the file's link is deleted, too.
func TestDeleteFile_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	s.Attempts(6, func(try string, send func(world.Request) world.Response) {
		f := s.NewFile(world.PDF, fields{"collection_id": c.ID})
		s.put(try, 200, f.Upload, world.PDF)
		s.ShownFile(200, s.CompleteFile(f.ID))
		r := world.Request{Method: "DELETE", Path: s.path(f.ID), IdempotencyKey: try}
		send(r)
		s.Clock.Advance(time.Minute)
		s.Want(try, 204, s.Do(r))
		s.Want(try+" again", 204, s.Do(r))
		notFound.Check(t, s.Send("DELETE", s.path(f.ID), nil)) // a new request, not a repetition
		s.Put(f.Upload, world.PDF)                             // an upload after the deletion
		s.expireLinks()
		s.wantNothingLeft(try)
		if got := s.readCollection(c.ID); got.Files != 0 {
			t.Errorf("%s: got %+v, want it empty", try, got)
		}
	})
}

// TestUpdateFile_MoveInterrupted checks that an interrupted move either changes the file's collection and both counts,
// or changes nothing.
func TestUpdateFile_MoveInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.createCollection("a"), s.createCollection("b")
	f := s.UploadedFile(world.PDF, fields{"collection_id": a.ID})
	s.Attempts(4, func(try string, send func(world.Request) world.Response) {
		s.Want(try, 200, s.update(f.ID, fields{"collection_id": a.ID}))
		r := world.Request{Method: "PUT", Path: s.path(f.ID), IdempotencyKey: try, Body: fields{"collection_id": b.ID}}
		send(r)
		in := map[string][]int{a.ID: {1, 0}, b.ID: {0, 1}}
		if diff := cmp.Diff(in[s.readFile(f.ID).Collection], s.fileCounts(a, b)); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", try, diff)
		}
		s.Clock.Advance(time.Minute)
		s.Want(try, 200, s.Do(r))
		if diff := cmp.Diff([]int{0, 1}, s.fileCounts(a, b)); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", try, diff)
		}
	})
}

// TestCollections_Interrupted checks that a creation, once repeated, makes one collection, and that a repeated change
// is made.
func TestCollections_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	n := 0
	s.Attempts(4, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.CollectionsPath(), IdempotencyKey: try, Body: fields{"name": try}}
		send(r)
		s.Clock.Advance(time.Minute)
		c := world.Into[collection](s, 201, s.Do(r))
		if n++; s.listCollections("").Total != n || c.Name != try {
			t.Errorf("%s: got %+v of %d, want it and %d in all", try, c, s.listCollections("").Total, n)
		}
	})
	s.Attempts(3, func(try string, send func(world.Request) world.Response) {
		c := s.createCollection(try)
		r := world.Request{Method: "PUT", Path: s.collection(c.ID), IdempotencyKey: c.ID, Body: fields{"status": "closed"}}
		send(r)
		s.Clock.Advance(time.Minute)
		if got := world.Into[collection](s, 200, s.Do(r)); got.Status != "closed" ||
			s.readCollection(c.ID).Status != "closed" {
			t.Errorf("%s: got %+v, want it closed", try, got)
		}
	})
}

// TestConsume_Interrupted interrupts the deletion of a file's content at each step, and checks that the content is
// deleted in the end.
func TestConsume_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	world.Everywhere(t, 3, func(step int, fault faults.Fault) []string {
		f := s.UploadedFile(world.PDF, nil)
		s.RefuseObjects(func(string) bool { return true })
		s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
		s.RefuseObjects(nil)
		s.Clock.Advance(2 * time.Hour)
		p := s.Process()
		defer p.Stop()
		if err := p.TickNow(t.Context(), "sweep"); err != nil {
			t.Fatal(err)
		}
		p.Steps.Plan(step, fault)
		_, _ = p.DrainQueues(t.Context())
		taken := p.Steps.Taken()
		for range 2 { // the queue delivers the message again, or the sweep sends another
			s.Clock.Advance(16 * time.Minute)
			s.RunUntilIdle()
		}
		s.wantNothingLeft(fmt.Sprint(fault, " at ", step))
		return taken
	})
}
