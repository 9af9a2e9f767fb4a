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

// objectMessage returns a message about an object.
func objectMessage(key string) string { return `{"object":"` + file.ObjectID(key) + `"}` }

// TestConsume_OnlyDoomedObjects checks that no message deletes the content of a file.
func TestConsume_OnlyDoomedObjects(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	pending, uploaded := s.NewFile(world.PDF, nil), s.UploadedFile(world.PDF, nil)
	s.put("upload", 200, pending.Upload, world.PDF)
	want := map[string]int{s.objectKey(pending.ID): 1, s.objectKey(uploaded.ID): 1}
	for _, body := range []string{objectMessage(s.objectKey(pending.ID)), objectMessage(s.objectKey(uploaded.ID)),
		objectMessage("files/" + strings.Repeat("0", 32)), objectMessage(strings.Repeat("0", 31) + "/"), `{}`, `x`,
		`{"object":""}`} {
		if err := s.consume(body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
	}
	if diff := cmp.Diff(want, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestConsume_ObjectWithoutEntry checks that the message deletes the object and nothing else. Only an operator can have
// sent such a message.
func TestConsume_ObjectWithoutEntry(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, nil)
	unexpected := file.Prefix + strings.Repeat("0", 32)
	s.putContent(unexpected, file.Text, "x")
	s.putContent(unexpected, file.Text, "y")
	s.putContent(unexpected+"0", file.Text, "z")
	if err := s.consume(objectMessage(unexpected)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{s.objectKey(f.ID): 1, unexpected + "0": 1}, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestConsume_DoomedObject checks that each message deletes the object, and that the entry goes with the first message
// after the last possible upload.
func TestConsume_DoomedObject(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, nil)
	s.put("upload", 200, f.Upload, world.PDF)
	object := s.objectKey(f.ID)
	s.RefuseObjects(func(string) bool { return true })
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.RefuseObjects(nil)
	for range 2 {
		if err := s.consume(objectMessage(object)); err != nil {
			t.Fatal(err)
		}
		e := s.readEntries()[object]
		if due := f.CreatedAt.Add(75 * time.Minute); e.State != file.ObjectDoomed || !e.DueAt.Equal(due) {
			t.Errorf("got %+v, want it doomed, and due at %s", e, due)
		}
	}
	if got := s.Stored(); len(got) != 0 {
		t.Errorf("got objects %v, want none", got)
	}
	s.put("late", 200, f.Upload, world.PDF)
	s.Clock.Advance(75 * time.Minute)
	if err := s.consume(objectMessage(object)); err != nil {
		t.Fatal(err)
	}
	s.wantNothingLeft("afterwards")
}

// TestConsume_S3Down checks that the message and the object's entry stay while S3 is down.
func TestConsume_S3Down(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, nil)
	object := s.objectKey(f.ID)
	down := func(action string) bool { return action == "DeleteObjectVersion" }
	s.RefuseObjects(down)
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.Clock.Advance(2 * time.Hour)
	s.RunUntilIdle()
	if e := s.readEntries()[object]; e.State != file.ObjectDoomed || s.Stored()[object] != 1 {
		t.Errorf("got %+v, want it doomed, and its content", e)
	}
	s.RefuseObjects(nil)
	s.Clock.Advance(16 * time.Minute)
	s.RunUntilIdle()
	s.wantNothingLeft("afterwards")
}
