package files_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// samples has a name and a content for each content type.
var samples = []struct{ contentType, name, content string }{
	{"application/pdf", "a.pdf", world.PDF},
	{"image/png", "a.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"},
	{"image/jpeg", "a.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"},
	{"image/heic", "a.heic", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"},
	{"text/csv", "a.csv", "name;city\r\nAda;Zürich\r\n"},
	{"text/plain", "a.txt", "Grüße\tund mehr\n"},
}

func TestUpdateFile_Complete(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	for _, one := range samples {
		more := fields{"filename": one.name, "content_type": one.contentType, "collection_id": c.ID,
			"metadata": fields{"a": 1}}
		if one.name == "a.txt" {
			more["checksum_sha256"] = world.SHA256(one.content)
		}
		f := s.NewFile(one.content, more)
		s.Clock.Advance(time.Second)
		s.put(one.name, 200, f.Upload, one.content)
		s.Clock.Advance(time.Second)
		want := f
		want.Upload, want.Status, want.SHA256 = nil, "uploaded", world.SHA256(one.content)
		want.UpdatedAt, want.UploadedAt = s.ShownNow(), s.ShownNow()
		for range 2 { // the second completion changes nothing
			if diff := cmp.Diff(want, s.ShownFile(200, s.CompleteFile(f.ID))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", one.name, diff)
			}
			s.Clock.Advance(time.Second)
		}
		got := s.readFile(f.ID)
		if status, _, body := s.Get(got.DownloadURL); status != 200 || body != one.content {
			t.Errorf("%s: got %d %q, want the content", one.name, status, body)
		}
		got.DownloadURL = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: read (-want +got):\n%s", one.name, diff)
		}
	}
	if got := s.readCollection(c.ID); got.Files != len(samples) {
		t.Errorf("got %+v, want %d files", got, len(samples))
	}
}

// TestUpdateFile_NothingUploaded checks that a file without an upload stays pending. It can still be completed later,
// also under the same Idempotency-Key.
func TestUpdateFile_NothingUploaded(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, nil)
	r := world.Request{Method: "PUT", Path: s.path(f.ID), Body: fields{"status": "uploaded"}, IdempotencyKey: "k"}
	for range 2 {
		conflict.Check(t, s.Do(r))
	}
	if got := s.readFile(f.ID); got.Status != "pending" {
		t.Errorf("got %+v, want it pending", got)
	}
	s.put("upload", 200, f.Upload, world.PDF)
	if got := s.ShownFile(200, s.Do(r)); got.Status != "uploaded" {
		t.Errorf("got %+v, want it uploaded", got)
	}
}

// TestUpdateFile_OtherContentType checks that content of another type is refused, and leaves neither file nor object.
// S3 compares size and checksum (TestCreateFile_UploadLink).
func TestUpdateFile_OtherContentType(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	const exe, script, page = "MZ\x90\x00\x03\x00\x00\x00%PDF-1.7", "#!/bin/sh\nexit\n", "<!doctype html><script></script>"
	bad := map[string]fields{
		exe:                                   {},
		"\x7fELF\x02\x01\x01":                 {},
		page:                                  {},
		" " + world.PDF:                       {},
		samples[1].content:                    {"checksum_sha256": world.SHA256(samples[1].content)},
		world.PDF:                             {"filename": "a.png", "content_type": "image/png"},
		script:                                {"filename": "a.txt", "content_type": "text/plain"},
		"\ufeff" + page:                       {"filename": "a.csv", "content_type": "text/csv"},
		"a\x00b":                              {"filename": "a.txt", "content_type": "text/plain"},
		"Gr\xfc\xdfe":                         {"filename": "a.csv", "content_type": "text/csv"},
		strings.Repeat("a", 100_000) + "\x1b": {"filename": "a.txt", "content_type": "text/plain"},
	}
	for content, more := range bad {
		more["collection_id"] = c.ID
		f := s.NewFile(content, more)
		s.put("upload", 200, f.Upload, content)
		object := s.objectKey(f.ID)
		r := world.Request{Method: "PUT", Path: s.path(f.ID), Body: fields{"status": "uploaded"}, IdempotencyKey: f.ID}
		got := s.Do(r)
		conflict.Check(t, got)
		if !strings.Contains(got.Text("detail"), "content_type") {
			t.Errorf("%.20q: got %s, want it to name the content_type", content, got.Body)
		}
		if again := s.Do(r); again.Status != 409 || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%.20q: again: got %d %s, want it replayed", content, again.Status, again.Body)
		}
		notFound.Check(t, s.CompleteFile(f.ID))
		notFound.Check(t, s.Send("GET", s.path(f.ID), nil))
		if got := s.Stored()[object]; got != 0 {
			t.Errorf("%.20q: got %d versions, want none", content, got)
		}
		s.put("the open link", 200, f.Upload, content) // the late object is counted below
	}
	if got := s.readCollection(c.ID); got.Files != 0 {
		t.Errorf("got %+v, want no file in it", got)
	}
	if got := s.Stored(); len(got) != len(bad) {
		t.Errorf("got %d objects, want the %d late ones", len(got), len(bad))
	}
	s.Clock.Advance(2 * time.Hour) // all links have ended
	s.RunUntilIdle()
	s.wantNothingLeft("afterwards")
}

// TestUpdateFile_UncheckedContent checks that content of another size, checksum or declared type is refused, even if S3
// did not check the content.
func TestUpdateFile_UncheckedContent(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for what, c := range map[string]struct {
		more             fields // fields that the file declares
		content, contain string
	}{
		"longer":           {nil, world.PDF + "%", "bytes"},
		"shorter":          {nil, world.PDF[:len(world.PDF)-1], "bytes"},
		"another checksum": {fields{"checksum_sha256": world.SHA256("x")}, world.PDF, "checksum_sha256"},
	} {
		f := s.NewFile(world.PDF, c.more)
		s.putContent(s.objectKey(f.ID), "application/pdf", c.content)
		got := s.CompleteFile(f.ID)
		conflict.Check(t, got)
		if !strings.Contains(got.Text("detail"), c.contain) {
			t.Errorf("%s: got %s, want it to name %s", what, got.Body, c.contain)
		}
		notFound.Check(t, s.Send("GET", s.path(f.ID), nil))
	}
	f := s.NewFile(world.PDF, nil)
	s.putContent(s.objectKey(f.ID), "text/html", world.PDF)
	conflict.Check(t, s.CompleteFile(f.ID))
	s.Clock.Advance(2 * time.Hour)
	s.RunUntilIdle()
	s.wantNothingLeft("afterwards")
}

// TestUpdateFile_ContentEncoding checks content that was uploaded with an encoding. S3 takes headers that a link does
// not sign, and sends them with downloads. So a picture could be decoded to a program after it was checked.
func TestUpdateFile_ContentEncoding(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.NewFile(world.PDF, fields{"checksum_sha256": world.SHA256(world.PDF)})
	f.Upload.Headers["Content-Encoding"] = "br"
	s.put("encoded", 200, f.Upload, world.PDF)
	got := s.CompleteFile(f.ID)
	conflict.Check(t, got)
	if !strings.Contains(got.Text("detail"), "Content-Encoding") {
		t.Errorf("got %s, want it to name the Content-Encoding", got.Body)
	}
	notFound.Check(t, s.Send("GET", s.path(f.ID), nil))
	kept := s.NewFile(world.PDF, nil)
	kept.Upload.Headers["Cache-Control"] = "public, max-age=31536000"
	s.put("kept", 200, kept.Upload, world.PDF)
	s.Want("complete", 200, s.CompleteFile(kept.ID))
	_, header, _ := s.Get(s.readFile(kept.ID).DownloadURL)
	if got := header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("got Cache-Control %q, want that nobody keeps it", got)
	}
	s.Want("delete", 204, s.Send("DELETE", s.path(kept.ID), nil))
	s.Clock.Advance(2 * time.Hour)
	s.RunUntilIdle()
	s.wantNothingLeft("afterwards")
}

// TestUpdateFile_ReplacedContent checks that downloads return the version that was checked, even if other versions are
// stored later.
func TestUpdateFile_ReplacedContent(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, nil)
	s.putContent(s.objectKey(f.ID), "text/html", "<script>")
	if status, header, body := s.Get(s.readFile(f.ID).DownloadURL); status != 200 || body != world.PDF ||
		header.Get("Content-Type") != "application/pdf" {
		t.Errorf("got %d %s %q, want the content that was checked", status, header, body)
	}
	if got := s.ShownFile(200, s.CompleteFile(f.ID)); got.SHA256 != world.SHA256(world.PDF) {
		t.Errorf("completed again: got %+v, want it as it was", got)
	}
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	if got := s.Stored(); len(got) != 0 {
		t.Errorf("got objects %v, want no version", got)
	}
}

// TestUpdateFile_S3Down checks that a completion answers 424 and changes nothing while S3 is down. Requests that do not
// need S3 succeed.
func TestUpdateFile_S3Down(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f, uploaded := s.NewFile(world.PDF, nil), s.UploadedFile(world.PDF, nil)
	s.put("upload", 200, f.Upload, world.PDF)
	s.RefuseObjects(func(string) bool { return true })
	r := world.Request{Method: "PUT", Path: s.path(f.ID), Body: fields{"status": "uploaded"}, IdempotencyKey: "k"}
	for range 2 {
		got := s.Do(r)
		upstream.Check(t, got)
		if got.Header.Get("Retry-After") == "" {
			t.Error("got no Retry-After, want one")
		}
	}
	if got := s.readFile(f.ID); got.Status != "pending" {
		t.Errorf("got %+v, want it pending", got)
	}
	if got := s.ShownFile(200, s.CompleteFile(uploaded.ID)); got.Status != "uploaded" {
		t.Errorf("got %+v, want it uploaded", got)
	}
	s.NewFile(world.PDF, nil)
	s.Want("delete", 204, s.Send("DELETE", s.path(uploaded.ID), nil))
	notFound.Check(t, s.Send("GET", s.path(uploaded.ID), nil))
	if got := s.Stored(); len(got) != 2 {
		t.Errorf("got objects %v, want both still", got)
	}
	s.RefuseObjects(nil)
	if got := s.ShownFile(200, s.Do(r)); got.Status != "uploaded" {
		t.Errorf("got %+v, want it uploaded", got)
	}
	s.Clock.Advance(2 * time.Hour)
	s.RunUntilIdle()
	if diff := cmp.Diff(map[string]int{s.objectKey(f.ID): 1}, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestFiles_NeverCompleted checks that files that are never completed are dropped after 24 hours with their uploads,
// also in an archived collection.
func TestFiles_NeverCompleted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("all")
	first, second := s.NewFile(world.PDF, fields{"collection_id": c.ID}), s.NewFile(world.PDF, nil)
	kept := s.UploadedFile(world.PDF, fields{"collection_id": c.ID})
	s.put("upload", 200, second.Upload, world.PDF)
	s.setStatus(c.ID, "archived")
	s.Clock.Advance(24*time.Hour - time.Second)
	s.RunUntilIdle()
	if got := s.listFiles(""); got.Total != 3 {
		t.Errorf("in time: got %+v, want all three", got)
	}
	s.Clock.Advance(time.Second)
	s.RunUntilIdle()
	for _, id := range []string{first.ID, second.ID} {
		notFound.Check(t, s.CompleteFile(id))
	}
	if got := s.listFiles(""); got.Total != 1 || got.Items[0].ID != kept.ID {
		t.Errorf("got %+v, want only what was uploaded", got)
	}
	if diff := cmp.Diff(map[string]int{s.objectKey(kept.ID): 1}, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if got := s.readCollection(c.ID); got.Files != 1 || len(s.readEntries()) != 1 {
		t.Errorf("got %+v and entries %+v, want one file", got, s.readEntries())
	}
}
