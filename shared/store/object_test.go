package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// listDueObjects returns the keys of the objects that the sweep finds.
func listDueObjects(t *testing.T, s *store.Store) (keys []string) {
	t.Helper()
	for shard := range s.DueShards() {
		for due, err := range s.Overdue(t.Context(), shard, s.Now()) {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, due.Object)
		}
	}
	slices.Sort(keys)
	return keys
}

// TestOverdue_Objects checks when an object is due. While its file is pending, the object is due after a day. Once it
// is uploaded, it is never due. When it is deleted, it is due at once, until the object cannot come back.
func TestOverdue_Objects(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	for _, id := range []string{"late", "uploaded", "deleted"} {
		if err := createFile(t.Context(), s, id, ""); err != nil {
			t.Fatal(err)
		}
	}
	key := func(id string) string { return newPendingFile(s, id, "").Object }
	if _, err := completeFile(t.Context(), s, "uploaded", "rev"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteFile(t.Context(), byTest, tenant, "deleted", "deletion"); err != nil {
		t.Fatal(err)
	}
	want := func(when string, keys ...string) {
		t.Helper()
		if diff := cmp.Diff(keys, listDueObjects(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	done := func(at time.Time) {
		t.Helper()
		if err := s.ObjectDeleted(t.Context(), key("deleted"), at); err != nil {
			t.Error(err)
		}
	}
	want("after the deletion", key("deleted"))
	done(s.Now())
	done(s.Now())
	want("once its object is deleted")
	now.Advance(75*time.Minute - time.Millisecond)
	want("while a late upload may come")
	now.Advance(time.Millisecond)
	want("an hour after the link's end", key("deleted"))
	done(s.Now().Add(-time.Millisecond))
	want("after a deletion that began before", key("deleted"))
	done(s.Now())
	done(s.Now())
	want("once it is deleted for good")
	if _, err := s.ObjectEntry(t.Context(), key("deleted")); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("got error %v, want no entry", err)
	}
	now.Advance(24*time.Hour - 75*time.Minute - time.Millisecond)
	want("before a day is over")
	now.Advance(time.Millisecond)
	want("after a day", key("late"))
	if err := s.ObjectDeleted(t.Context(), key("late"), s.Now()); err != nil {
		t.Error(err)
	}
	want("a pending one, whatever somebody says", key("late"))
}

// TestObjectEntries_Shard checks that a walk goes in the order of the keys, from any key on.
func TestObjectEntries_Shard(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	var keys []string
	for _, digits := range []string{"00", "01", "a0", "aa", "ab", "af", "b0"} {
		key := file.Prefix + digits + "112233445566778899aabbccddeeff"
		f := file.File{ID: "f" + digits, Object: key, CreatedAt: s.Now()}
		if _, err := s.CreateFile(t.Context(), byTest, tenant, f); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	for name, c := range map[string]struct {
		shard int
		after string
		want  []string
	}{
		"the first":    {0, "", keys[:2]},
		"none":         {1, "", nil},
		"all of a":     {10, "", keys[2:6]},
		"after one":    {10, keys[3], keys[4:6]},
		"after no key": {10, "files/ab0", keys[4:6]},
		"after all":    {10, keys[5], nil},
	} {
		var got []string
		entries, err := collect(s.ObjectEntries(t.Context(), c.shard, c.after))
		for _, e := range entries {
			got = append(got, e.Key)
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v, (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestSaveObjectEntry_Stale checks that an entry read before another write is not saved, and that a removed entry does
// not come back.
func TestSaveObjectEntry_Stale(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	now := clock.New()
	s := openTable(t, now, wire)
	if err := createFile(t.Context(), s, "f", ""); err != nil {
		t.Fatal(err)
	}
	key := newPendingFile(s, "f", "").Object
	before, err := s.ObjectEntry(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.DropFile(t.Context(), byTest, tenant, "f", "sweep", ""); err != nil {
		t.Fatal(err)
	}
	if err = s.SaveObjectEntry(t.Context(), before.Doom(s.Now())); !errors.Is(err, store.ErrStale) {
		t.Errorf("got error %v, want ErrStale", err)
	}
	doomed, err := s.ObjectEntry(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	now.Advance(2 * time.Hour)
	wire.Meanwhile("DeleteItem", 1, func() { // a message is sent again at the same moment
		if err := s.SaveObjectEntry(t.Context(), doomed.Sent(s.Now())); err != nil {
			t.Error(err)
		}
	})
	if err := s.ObjectDeleted(t.Context(), key, s.Now()); err != nil {
		t.Error(err)
	}
	wire.Inject(nil)
	if err := s.SaveObjectEntry(t.Context(), doomed.Sent(s.Now())); !errors.Is(err, store.ErrStale) {
		t.Errorf("saved when it is gone: got error %v, want ErrStale", err)
	}
	if _, err := s.ObjectEntry(t.Context(), key); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("got error %v, want no entry", err)
	}
}

// TestDeleteFile_MissingEntry checks that a file's deletion makes a missing entry again, so that its object is deleted.
func TestDeleteFile_MissingEntry(t *testing.T) {
	t.Parallel()
	s, _ := fileTable(t)
	_, table := s.Raw()
	id := file.ObjectID(newPendingFile(s, "f", "a").Object)
	if err := table.Delete("pk", "OBJECTS#"+id[:1]).Range("sk", id).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion"); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, "deleted", s, gone("open 0", "open 0"))
}
