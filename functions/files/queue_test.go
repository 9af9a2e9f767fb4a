package files_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions/files"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/file"
)

// consume hands the function a message.
func (s shop) consume(body string) error { return files.Consume(s.App)(s.Context(), body) }

// object in a message.
func ofObject(key string) string { return `{"object":"` + file.ObjectID(key) + `"}` }

// TestOnlyDoomedObjectsAreDeleted: a message deletes what no file has any more, and nothing else, whatever it names.
func TestOnlyDoomedObjectsAreDeleted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	pending, uploaded := s.NewFile(world.PDF, nil), s.UploadedFile(world.PDF, nil)
	s.put("upload", 200, pending.Upload, world.PDF)
	want := map[string]int{s.object(pending.ID): 1, s.object(uploaded.ID): 1}
	for _, body := range []string{ofObject(s.object(pending.ID)), ofObject(s.object(uploaded.ID)),
		ofObject("files/" + strings.Repeat("0", 32)), ofObject(strings.Repeat("0", 31) + "/"), `{}`, `x`, `{"object":""}`} {
		if err := s.consume(body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
	}
	if diff := cmp.Diff(want, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestAMessageDeletesAnObjectWithoutAnEntry, which only an operator can have sent, and nothing beside it.
func TestAMessageDeletesAnObjectWithoutAnEntry(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, nil)
	unexpected := file.Prefix + strings.Repeat("0", 32)
	s.store(unexpected, file.Text, "x")
	s.store(unexpected, file.Text, "y")
	s.store(unexpected+"0", file.Text, "z")
	if err := s.consume(ofObject(unexpected)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{s.object(f.ID): 1, unexpected + "0": 1}, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestAMessageDeletesAnObject, as often as it comes, and once more when nothing can be uploaded any more.
func TestAMessageDeletesAnObject(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, nil)
	s.put("upload", 200, f.Upload, world.PDF)
	object := s.object(f.ID)
	s.RefuseObjects(func(string) bool { return true })
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.RefuseObjects(nil)
	for range 2 {
		if err := s.consume(ofObject(object)); err != nil {
			t.Fatal(err)
		}
		e := s.entries()[object]
		if due := f.CreatedAt.Add(75 * time.Minute); e.State != file.ObjectDoomed || !e.DueAt.Equal(due) {
			t.Errorf("got %+v, want it doomed, and due at %s", e, due)
		}
	}
	if got := s.Stored(); len(got) != 0 {
		t.Errorf("got objects %v, want none", got)
	}
	s.put("late", 200, f.Upload, world.PDF)
	s.Clock.Advance(75 * time.Minute)
	if err := s.consume(ofObject(object)); err != nil {
		t.Fatal(err)
	}
	s.wantNothingLeft("afterwards")
}

// TestAMessageStaysWhileS3IsDown, and the object's entry with it.
func TestAMessageStaysWhileS3IsDown(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, nil)
	object := s.object(f.ID)
	down := func(action string) bool { return action == "DeleteObjectVersion" }
	s.RefuseObjects(down)
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.Clock.Advance(2 * time.Hour)
	s.RunUntilIdle()
	if e := s.entries()[object]; e.State != file.ObjectDoomed || s.Stored()[object] != 1 {
		t.Errorf("got %+v, want it doomed, and its content", e)
	}
	s.RefuseObjects(nil)
	s.Clock.Advance(16 * time.Minute)
	s.RunUntilIdle()
	s.wantNothingLeft("afterwards")
}
