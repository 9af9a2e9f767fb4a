package file_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/file"
)

func TestNewKey(t *testing.T) {
	t.Parallel()
	one, other := file.NewKey(), file.NewKey()
	if one == other || !regexp.MustCompile(`^files/[0-9a-f]{32}$`).MatchString(one) {
		t.Errorf("got %s and %s, want two keys", one, other)
	}
	id := file.ObjectID(one)
	if got := file.Prefix + id; got != one || !file.IsObjectID(id) {
		t.Errorf("got %s and that it has an id %t, want %s", got, file.IsObjectID(id), one)
	}
	for _, text := range []string{"", one, id[1:], id + "0", id + "\n", strings.Repeat("A", 32), "../" + id[3:]} {
		if file.IsObjectID(text) {
			t.Errorf("got that %q is an id, want that it is none", text)
		}
	}
	found := 0
	for shard := range file.Shards {
		if strings.HasPrefix(one, file.Prefix+file.ShardName(shard)) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("got %s in %d shards, want 1", one, found)
	}
}

// TestEntry checks an object's entry from the file's creation to the object's end.
func TestEntry(t *testing.T) {
	t.Parallel()
	f, err := file.New("file_1", "files/00", given(unchanged), now)
	if err != nil {
		t.Fatal(err)
	}
	link := now.Add(15 * time.Minute)
	pending := file.Entry{Key: "files/00", Tenant: tenant, File: "file_1", State: file.ObjectPending, LinkUntil: link,
		DueAt: now.Add(24 * time.Hour)}
	if diff := cmp.Diff(pending, f.Entry(tenant)); diff != "" {
		t.Errorf("new (-want +got):\n%s", diff)
	}
	uploaded := pending
	uploaded.State, uploaded.Revision, uploaded.DueAt = file.ObjectUploaded, "rev", time.Time{}
	if diff := cmp.Diff(uploaded, pending.Follow(f.Complete(file.Content{Revision: "rev"}, now))); diff != "" {
		t.Errorf("uploaded (-want +got):\n%s", diff)
	}
	doomed := uploaded
	doomed.State, doomed.DueAt = file.ObjectDoomed, now
	if diff := cmp.Diff(doomed, uploaded.Doom(now)); diff != "" {
		t.Errorf("doomed (-want +got):\n%s", diff)
	}
	if e := doomed.Sent(now); e.DueAt != now.Add(15*time.Minute) {
		t.Errorf("got it due at %s once a message was sent, want 15 minutes later", e.DueAt)
	}
	last := link.Add(time.Hour)
	for at, want := range map[time.Time]bool{now: false, last.Add(-1): false, last: true, last.Add(time.Hour): true} {
		e, gone := doomed.Deleted(at)
		if gone != want || !gone && e.DueAt != last {
			t.Errorf("deleted at %s: got it gone %t, due at %s, want %t, or %s", at, gone, e.DueAt, want, last)
		}
	}
	for at, want := range map[time.Time]bool{now.Add(-1): false, now: true, now.Add(1): true} {
		if doomed.Due(at) != want || uploaded.Due(at) {
			t.Errorf("at %s: got a doomed one due %t and an uploaded one %t", at, doomed.Due(at), uploaded.Due(at))
		}
	}
}
