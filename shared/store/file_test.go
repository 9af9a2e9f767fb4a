package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

type change = func(context.Context, *store.Store) error

// fileChanges lists the changes of the file and its collections.
var fileChanges = map[string]change{
	"complete": func(ctx context.Context, s *store.Store) error { return errOf(completeFile(ctx, s, "f", "mine")) },
	"complete too": func(ctx context.Context, s *store.Store) error {
		return errOf(completeFile(ctx, s, "f", "another"))
	},
	"move": func(ctx context.Context, s *store.Store) error { return moveFile(ctx, s, "f", "b") },
	"delete": func(ctx context.Context, s *store.Store) error {
		return errOf(s.DeleteFile(ctx, byTest, tenant, "f", "deletion"))
	},
	"drop": func(ctx context.Context, s *store.Store) error {
		return errOf(s.DropFile(ctx, byTest, tenant, "f", "completion", "It differs."))
	},
	"close a":   func(ctx context.Context, s *store.Store) error { return setStatus(ctx, s, "a", file.Closed) },
	"close b":   func(ctx context.Context, s *store.Store) error { return setStatus(ctx, s, "b", file.Closed) },
	"archive a": func(ctx context.Context, s *store.Store) error { return setStatus(ctx, s, "a", file.Archived) },
}

// TestFiles_ConcurrentChanges makes one change while another is in flight. The first to arrive counts, and the late
// change finds the result.
func TestFiles_ConcurrentChanges(t *testing.T) {
	t.Parallel()
	conflict := func(err error) bool { return failure.Is(err, failure.KindConflict) }
	notFound := func(err error) bool { return failure.Is(err, failure.KindNotFound) }
	uploaded := func(err error) bool { return errors.Is(err, store.ErrNotPending) }
	none := func(err error) bool { return err == nil }
	for name, c := range map[string]struct {
		late, first string
		err         func(error) bool // of the late change
		want        state
	}{
		"two completions":                   {"complete", "complete too", none, inA(file.Uploaded, "open 1", "open 0")},
		"a completion after a deletion":     {"complete", "delete", notFound, gone("open 0", "open 0")},
		"a completion after a drop":         {"complete", "drop", notFound, gone("open 0", "open 0")},
		"a completion after a move":         {"complete", "move", none, inB(file.Uploaded, "open 0", "open 1")},
		"a completion after the closing":    {"complete", "close a", conflict, inA(file.Pending, "closed 1", "open 0")},
		"a deletion after a completion":     {"delete", "complete", none, gone("open 0", "open 0")},
		"a deletion after a drop":           {"delete", "drop", notFound, gone("open 0", "open 0")},
		"a deletion after a move":           {"delete", "move", none, gone("open 0", "open 0")},
		"a deletion after the closing":      {"delete", "close a", none, gone("closed 0", "open 0")},
		"a deletion after the archiving":    {"delete", "archive a", conflict, inA(file.Pending, "archived 1", "open 0")},
		"a drop after a completion":         {"drop", "complete", uploaded, inA(file.Uploaded, "open 1", "open 0")},
		"a drop after a deletion":           {"drop", "delete", notFound, gone("open 0", "open 0")},
		"a drop after a move":               {"drop", "move", none, gone("open 0", "open 0")},
		"a drop after the archiving":        {"drop", "archive a", none, gone("archived 0", "open 0")},
		"a move after a completion":         {"move", "complete", none, inB(file.Uploaded, "open 0", "open 1")},
		"a move after a deletion":           {"move", "delete", notFound, gone("open 0", "open 0")},
		"a move after the closing":          {"move", "close a", none, inB(file.Pending, "closed 0", "open 1")},
		"a move after its end was closed":   {"move", "close b", conflict, inA(file.Pending, "open 1", "closed 0")},
		"a move after the archiving":        {"move", "archive a", conflict, inA(file.Pending, "archived 1", "open 0")},
		"closing after a move":              {"close a", "move", none, inB(file.Pending, "closed 0", "open 1")},
		"closing the end after a move":      {"close b", "move", none, inB(file.Pending, "open 0", "closed 1")},
		"archiving after a deletion":        {"archive a", "delete", none, gone("archived 0", "open 0")},
		"closing after it was archived":     {"close a", "archive a", conflict, inA(file.Pending, "archived 1", "open 0")},
		"archiving after it was closed too": {"archive a", "close a", none, inA(file.Pending, "archived 1", "open 0")},
	} {
		s, wire := fileTable(t)
		wire.Meanwhile("TransactWriteItems", 1, func() {
			if err := fileChanges[c.first](t.Context(), s); err != nil {
				t.Error(err)
			}
		})
		err := fileChanges[c.late](t.Context(), s)
		wire.Inject(nil)
		if !c.err(err) {
			t.Errorf("%s: got error %v", name, err)
		}
		wantFiles(t, name, s, c.want)
	}
}

// TestUpdateFile_CompletedTwice checks that the file keeps the object's version from the first completion.
func TestUpdateFile_CompletedTwice(t *testing.T) {
	t.Parallel()
	s, wire := fileTable(t)
	var first file.File
	wire.Meanwhile("TransactWriteItems", 1, func() {
		var err error
		if first, err = completeFile(t.Context(), s, "f", "first"); err != nil {
			t.Error(err)
		}
	})
	got, err := completeFile(t.Context(), s, "f", "late")
	if diff := cmp.Diff(first, got); err != nil || diff != "" || got.Revision != "first" {
		t.Errorf("got error %v, (-first +late):\n%s", err, diff)
	}
	entries := 0
	for _, err := range s.AuditEntries(t.Context(), tenant.Merchant, time.Time{}, s.Now(), "") {
		if entries++; err != nil {
			t.Fatal(err)
		}
	}
	if entries != 4 { // of two collections, the file, and its completion
		t.Errorf("got %d entries of the audit, want 4", entries)
	}
}

// TestFiles_InterruptedChange checks that an interrupted change is made completely or not at all. After a repetition,
// the change is made exactly once.
func TestFiles_InterruptedChange(t *testing.T) {
	t.Parallel()
	done := map[string]state{
		"complete": inA(file.Uploaded, "open 1", "open 0"), "move": inB(file.Pending, "open 0", "open 1"),
		"delete": gone("open 0", "open 0"), "drop": gone("open 0", "open 0"),
		"close a": inA(file.Pending, "closed 1", "open 0"), "archive a": inA(file.Pending, "archived 1", "open 0"),
	}
	for name, want := range done {
		for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
			for step := range 8 {
				s, wire := fileTable(t)
				calls := 0
				wire.Inject(func(string) faults.Fault {
					if calls++; calls > step {
						return fault
					}
					return faults.None
				})
				_ = fileChanges[name](t.Context(), s)
				wire.Inject(nil)
				try := fmt.Sprintf("%s, %s from call %d", name, fault, step+1)
				between := readState(t, s)
				if before := inA(file.Pending, "open 1", "open 0"); !cmp.Equal(between, before) && !cmp.Equal(between, want,
					cmpopts.EquateEmpty()) {
					t.Errorf("%s: got %+v, want all or nothing", try, between)
				}
				if err := fileChanges[name](t.Context(), s); err != nil {
					t.Errorf("%s: again: got error %v", try, err)
				}
				wantFiles(t, try, s, want)
			}
		}
	}
}

// TestFiles_InterruptedCreation checks that an interrupted creation stores all of its items or none. When it is
// repeated, there is one file and one collection.
func TestFiles_InterruptedCreation(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
		for step := range 8 {
			s, wire := fileTable(t)
			both := func() error {
				return errors.Join(createCollection(t.Context(), s, "c"), createFile(t.Context(), s, "g", "c"))
			}
			calls := 0
			wire.Inject(func(string) faults.Fault {
				if calls++; calls > step {
					return fault
				}
				return faults.None
			})
			_ = both()
			wire.Inject(nil)
			try := fmt.Sprintf("%s from call %d", fault, step+1)
			readState(t, s)
			if err := both(); err != nil {
				t.Errorf("%s: again: got error %v", try, err)
			}
			want := inA(file.Pending, "open 1", "open 0")
			want.Files = append(want.Files, "g pending c")
			want.Collections["c"], want.Objects["g"] = "open 1", file.ObjectPending
			wantFiles(t, try, s, want)
		}
	}
}

// TestCreateFile_AfterDeletion checks that a repeated creation does not create the deleted file again.
func TestCreateFile_AfterDeletion(t *testing.T) {
	t.Parallel()
	s, _ := fileTable(t)
	before, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.CreateFile(t.Context(), byTest, tenant, newPendingFile(s, "f", "a"))
	if diff := cmp.Diff(before, got); err != nil || diff != "" {
		t.Errorf("created again: got error %v, (-want +got):\n%s", err, diff)
	}
	for operation, want := range map[string]bool{"deletion": true, "another": false} {
		if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", operation); (err == nil) != want {
			t.Errorf("deleted again by %s: got error %v, want none: %t", operation, err, want)
		}
		if _, _, err := s.DroppedFile(t.Context(), tenant, "f", operation); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("dropped by %s: got error %v, want it not found", operation, err)
		}
	}
	wantFiles(t, "deleted", s, gone("open 0", "open 0"))
}

// TestCreateFile_LateAfterDeletion repeats a creation with another object, and deletes the file before the first
// creation arrives. The late creation does not bring the file back.
func TestCreateFile_LateAfterDeletion(t *testing.T) {
	t.Parallel()
	s, wire := fileTable(t)
	again := newPendingFile(s, "g", "a")
	again.Object = file.NewKey()
	want := readState(t, s)
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if _, err := s.CreateFile(t.Context(), byTest, tenant, again); err != nil {
			t.Error(err)
		}
		if _, err := s.DeleteFile(t.Context(), byTest, tenant, "g", "deletion"); err != nil {
			t.Error(err)
		}
		want = readState(t, s)
	})
	got, err := s.CreateFile(t.Context(), byTest, tenant, newPendingFile(s, "g", "a"))
	if err != nil || got.Object != again.Object {
		t.Errorf("got %+v and error %v, want the file as it was", got, err)
	}
	wantFiles(t, "created late", s, want)
}

// TestCreateFile_AfterKeyExpired checks that the same request creates a new file of the same id once the file's
// Idempotency-Key has expired, even if the former file was deleted lately.
func TestCreateFile_AfterKeyExpired(t *testing.T) {
	t.Parallel()
	c := clock.New()
	s := openTable(t, c, &faults.Wire{Send: enginetest.Do})
	if err := errors.Join(createCollection(t.Context(), s, "a"), createFile(t.Context(), s, "f", "a")); err != nil {
		t.Fatal(err)
	}
	c.Advance(20 * 24 * time.Hour)
	before, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		after time.Duration // since the deletion
		again bool
	}{{11*24*time.Hour - time.Second, false}, {time.Second, true}} {
		c.Advance(one.after)
		want := newPendingFile(s, "f", "a")
		want.Object, want.Version = file.NewKey(), 1
		got, err := s.CreateFile(t.Context(), byTest, tenant, want)
		if !one.again {
			want = before
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("after %s: got error %v, (-want +got):\n%s", one.after, err, diff)
		}
	}
	if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "another deletion"); err != nil {
		t.Errorf("deleted again: got error %v, want none", err)
	}
}

// TestFiles_OtherTenant checks that no tenant reaches files or collections of another, nor those of its other mode.
func TestFiles_OtherTenant(t *testing.T) {
	t.Parallel()
	s, _ := fileTable(t)
	for _, other := range []identity.Tenant{{Mode: identity.Live, Merchant: tenant.Merchant},
		{Mode: tenant.Mode, Merchant: "MCOTHER"}} {
		f := newPendingFile(s, "g", "a")
		f.Object = file.NewKey()
		if _, err := s.CreateFile(t.Context(), byTest, other, f); failure.Of(err).Param != "collection_id" {
			t.Errorf("created in another's collection: got error %v, want an invalid collection_id", err)
		}
		f.Collection = ""
		if _, err := s.CreateFile(t.Context(), byTest, other, f); err != nil {
			t.Fatal(err)
		}
		_, err := s.UpdateFile(t.Context(), byTest, other, "g", func(f file.File) (file.File, error) {
			return f.Move("a", s.Now()), nil
		})
		if failure.Of(err).Param != "collection_id" {
			t.Errorf("moved to another's collection: got error %v, want an invalid collection_id", err)
		}
		_, err = s.UpdateFile(t.Context(), byTest, other, "f", func(f file.File) (file.File, error) { return f, nil })
		_, deleted := s.DeleteFile(t.Context(), byTest, other, "f", "deletion")
		_, read := s.Collection(t.Context(), other, "a")
		for _, err := range []error{err, deleted, read} {
			if !failure.Is(err, failure.KindNotFound) {
				t.Errorf("another's: got error %v, want it not found", err)
			}
		}
		if _, err := s.DeleteFile(t.Context(), byTest, other, "g", "deletion"); err != nil {
			t.Error(err)
		}
	}
}
