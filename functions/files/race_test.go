package files_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// meanwhile runs other at each point of a request, one point in each round: before the request's first step, before its
// second step, and so on, and last after the request. start prepares a round and returns its request. check fails the
// test if a round's outcome is wrong.
func (s shop) meanwhile(start func() world.Request, other func() world.Response,
	check func(what string, first, second world.Response)) {
	s.Helper()
	for step, reached := 1, true; reached; step++ {
		r := start()
		r.APIKey = s.Merchant.Key.Plaintext
		p := s.Process()
		var second world.Response
		p.Steps.Meanwhile("", step, func() { second = other() })
		first := p.Do(r)
		if reached = second.Status != 0; !reached {
			second = other()
		}
		check(fmt.Sprintf("before step %d: got %d %s and %d %s", step, first.Status, first.Body, second.Status,
			second.Body), first, second)
		if !reached && step < 5 {
			s.Errorf("got %d steps, want more", step-1)
		}
		p.Stop()
	}
}

func TestUpdateFile_CompletedTwiceConcurrently(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	var f world.File
	complete := world.Request{Method: "PUT", Body: fields{"status": "uploaded"}}
	start := func() world.Request {
		f = s.NewFile(world.PDF, fields{"collection_id": c.ID})
		s.put("upload", 200, f.Upload, world.PDF)
		s.Clock.Advance(time.Second)
		complete.Path = s.path(f.ID)
		return complete
	}
	s.meanwhile(start, func() world.Response { return s.Do(complete) },
		func(what string, first, second world.Response) {
			got := s.readFile(f.ID)
			got.DownloadURL = ""
			for _, answer := range []world.Response{first, second} {
				if diff := cmp.Diff(got, s.ShownFile(200, answer)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if got.Status != "uploaded" || !got.UploadedAt.Equal(s.ShownNow()) {
				t.Errorf("%s: got %+v, want it uploaded", what, got)
			}
			if _, operations := s.AuditOf("file " + f.ID); len(operations) != 2 {
				t.Errorf("%s: got the audit %v, want the creation and one completion", what, operations)
			}
		})
	start()
	if got := s.DoConcurrently(6, complete); got[200] != 6 {
		t.Errorf("got %v, want 200 six times", got)
	}
}

// TestUpdateFile_RefusedTwiceConcurrently checks that two refused completions drop the file once.
func TestUpdateFile_RefusedTwiceConcurrently(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	complete := world.Request{Method: "PUT", Body: fields{"status": "uploaded"}}
	start := func() world.Request {
		f := s.NewFile("MZ", fields{"collection_id": c.ID})
		s.put("upload", 200, f.Upload, "MZ")
		complete.Path = s.path(f.ID)
		return complete
	}
	s.meanwhile(start, func() world.Response { return s.Do(complete) },
		func(what string, first, second world.Response) {
			conflicts := 0
			for _, answer := range []world.Response{first, second} {
				if answer.Status == 409 {
					conflicts++
				} else if answer.Status != 404 {
					t.Error(what + ", want 409 or 404")
				}
			}
			if conflicts == 0 {
				t.Error(what + ", want one 409")
			}
			if got := s.readCollection(c.ID); got.Files != 0 || len(s.Stored()) != 0 {
				t.Errorf("%s: got %+v and objects %v, want nothing", what, got, s.Stored())
			}
		})
	s.expireLinks()
	s.wantNothingLeft("afterwards")
}

// TestDeleteFile_WhileCompleting checks that the file is gone in the end, in either order.
func TestDeleteFile_WhileCompleting(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	var path string
	start := func(method string, body any) func() world.Request {
		return func() world.Request {
			f := s.NewFile(world.PDF, fields{"collection_id": c.ID})
			s.put("upload", 200, f.Upload, world.PDF)
			path = s.path(f.ID)
			return world.Request{Method: method, Path: path, Body: body}
		}
	}
	complete := func() world.Response { return s.Send("PUT", path, fields{"status": "uploaded"}) }
	remove := func() world.Response { return s.Send("DELETE", path, nil) }
	check := func(what string, completed, deleted world.Response) {
		if deleted.Status != 204 || completed.Status != 200 && completed.Status != 404 && completed.Status != 409 {
			t.Error(what + ", want it completed or not, and deleted")
		}
		notFound.Check(t, s.Send("GET", path, nil))
		if got := s.readCollection(c.ID); got.Files != 0 || len(s.Stored()) != 0 {
			t.Errorf("%s: got %+v and objects %v, want nothing", what, got, s.Stored())
		}
	}
	s.meanwhile(start("PUT", fields{"status": "uploaded"}), remove, check)
	s.meanwhile(start("DELETE", nil), complete, func(what string, deleted, completed world.Response) {
		check(what, completed, deleted)
	})
	s.expireLinks()
	s.wantNothingLeft("afterwards")
}

// TestUpdateCollection_ArchivedMeanwhile checks that changes before the archiving are complete, and that none are made
// after.
func TestUpdateCollection_ArchivedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newShop(t)
	for name, c := range map[string]struct {
		uploaded bool
		request  world.Request
	}{
		"create":   {false, world.Request{Method: "POST"}},
		"complete": {false, world.Request{Method: "PUT", Body: fields{"status": "uploaded"}}},
		"move out": {true, world.Request{Method: "PUT", Body: fields{"collection_id": ""}}},
		"delete":   {true, world.Request{Method: "DELETE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shop{w.NewShop("DE", "EUR", nil)}
			var in collection
			start := func() world.Request {
				in = s.createCollection(name)
				f := s.NewFile(world.PDF, fields{"collection_id": in.ID})
				s.put("upload", 200, f.Upload, world.PDF)
				if c.uploaded {
					s.ShownFile(200, s.CompleteFile(f.ID))
				}
				r := c.request
				r.Path = s.path(f.ID)
				if r.Method == "POST" {
					r.Path, r.Body = s.FilesPath(), fileBody(fields{"collection_id": in.ID})
				}
				return r
			}
			var before collection
			s.meanwhile(start, func() world.Response {
				answer := s.Send("PUT", s.collection(in.ID), fields{"status": "archived"})
				before = world.Into[collection](s, 200, answer)
				return answer
			}, func(what string, first, _ world.Response) {
				if first.Status != 409 && first.Status/100 != 2 {
					t.Error(what + ", want it done or refused")
				}
				if diff := cmp.Diff(before, s.readCollection(in.ID)); diff != "" {
					t.Errorf("%s: changed after it was archived (-want +got):\n%s", what, diff)
				}
			})
		})
	}
}

func TestCollections_CountsAfterConcurrentChanges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.createCollection("a"), s.createCollection("b")
	var running sync.WaitGroup
	for i := range 6 {
		running.Go(func() {
			f := s.NewFile(world.PDF, fields{"collection_id": a.ID})
			for _, to := range []string{b.ID, a.ID, "", b.ID} {
				for s.update(f.ID, fields{"collection_id": to}).Status == 409 { // other requests keep changing the collection
				}
			}
			for i%2 == 0 && s.Send("DELETE", s.path(f.ID), nil).Status == 409 {
			}
		})
	}
	running.Wait()
	for _, c := range []collection{a, b} {
		if got, want := s.readCollection(c.ID).Files, s.listFiles("?collection_id="+c.ID).Total; got != want {
			t.Errorf("%s: got files_count %d, want %d", c.Name, got, want)
		}
	}
	if got := s.listFiles("").Total; got != 3 {
		t.Errorf("got %d files, want 3", got)
	}
}
