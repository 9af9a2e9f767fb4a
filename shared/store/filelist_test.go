package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
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

// TestFiles_Pages checks the order of creation. A page costs a query and a batch, however many files there are.
func TestFiles_Pages(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	now := clock.New()
	s := openTable(t, now, wire)
	for _, id := range []string{"a", "b"} {
		if err := createCollection(t.Context(), s, id); err != nil {
			t.Fatal(err)
		}
	}
	var all []file.File
	for i := range 60 {
		now.Advance(time.Millisecond)
		id, collection := fmt.Sprintf("f%02d", 60-i), []string{"", "a", "b"}[i%3]
		f, err := s.CreateFile(t.Context(), byTest, tenant, newPendingFile(s, id, collection))
		if err == nil && i%2 == 0 {
			f, err = completeFile(t.Context(), s, id, "rev")
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	for _, filter := range []store.FileFilter{{}, {Status: file.Pending}, {Collection: "b"},
		{Status: file.Uploaded, Collection: "a"}, {Collection: "c"}} {
		var want []file.File
		for _, f := range all {
			if (filter.Status == "" || f.Status == filter.Status) && (filter.Collection == "" ||
				f.Collection == filter.Collection) {
				want = append(want, f)
			}
		}
		for offset := 0; offset <= len(want)+7; offset += 7 {
			queries, batches := wire.Calls("Query"), wire.Calls("BatchGetItem")
			got, total, err := s.Files(t.Context(), tenant, filter, offset, 7)
			from := min(offset, len(want))
			page := append([]file.File{}, want[from:min(from+7, len(want))]...)
			if diff := cmp.Diff(page, got); err != nil || total != len(want) || diff != "" {
				t.Errorf("%+v from %d: got total %d, want %d, error %v (-want +got):\n%s", filter, offset, total, len(want),
					err, diff)
			}
			queries, batches = wire.Calls("Query")-queries, wire.Calls("BatchGetItem")-batches
			if queries != 1 || batches > 1 {
				t.Errorf("%+v from %d: got %d queries and %d batches, want one of each", filter, offset, queries, batches)
			}
		}
	}
}

// TestFiles_DeletedMeanwhile checks that a file deleted during a list is left out of the page.
func TestFiles_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s, wire := fileTable(t)
	if err := createFile(t.Context(), s, "g", ""); err != nil {
		t.Fatal(err)
	}
	wire.Meanwhile("BatchGetItem", 1, func() {
		if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion"); err != nil {
			t.Error(err)
		}
	})
	files, _, err := s.Files(t.Context(), tenant, store.FileFilter{}, 0, 10)
	if err != nil || len(files) != 1 || files[0].ID != "g" {
		t.Errorf("got %+v, %v, want g alone", files, err)
	}
}

// fillUp leaves room for the given number of files and collections.
func fillUp(t *testing.T, s *store.Store, room int) {
	t.Helper()
	_, table := s.Raw()
	for sortKey, most := range map[string]int{"COUNT#FILES": file.MaxFiles, "COUNT#COLLECTIONS": file.MaxCollections} {
		if err := table.Update("pk", "FILES#"+tenant.String()).Range("sk", sortKey).Set("count", most-room).Run(
			t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFiles_Limits checks limits under concurrent creations. A deleted file makes room once its object is gone for
// good.
func TestFiles_Limits(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(context.Context, *store.Store, string) error{
		"file":       func(ctx context.Context, s *store.Store, id string) error { return createFile(ctx, s, id, "") },
		"collection": createCollection,
	} {
		for _, room := range []int{2, 1, 0} {
			s, wire := fileTable(t)
			fillUp(t, s, room)
			if room > 0 {
				wire.Meanwhile("TransactWriteItems", 1, func() {
					if err := create(t.Context(), s, "first"); err != nil {
						t.Error(err)
					}
				})
			}
			err := create(t.Context(), s, "second")
			wire.Inject(nil)
			if refused := failure.Is(err, failure.KindConflict); refused != (room < 2) || !refused && err != nil {
				t.Errorf("%s, room for %d: got error %v, want one unless there is room for two", name, room, err)
			}
			if _, err = s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion"); err != nil {
				t.Fatal(err)
			}
			if err = create(t.Context(), s, "third"); !failure.Is(err, failure.KindConflict) {
				t.Errorf("%s: got error %v after a file was deleted, want a conflict while something can be uploaded", name, err)
			}
			for range 2 {
				if err = s.ObjectDeleted(t.Context(), newPendingFile(s, "f", "").Object, s.Now().Add(75*time.Minute)); err != nil {
					t.Error(err)
				}
			}
			for i, room := range []bool{name == "file", false} {
				err = create(t.Context(), s, fmt.Sprint("third ", i))
				if refused := failure.Is(err, failure.KindConflict); refused == room || !refused && err != nil {
					t.Errorf("%s %d: got error %v after its object was deleted for good", name, i, err)
				}
			}
		}
	}
}

// TestFiles_RandomConcurrentChanges checks that the records of files agree after many concurrent changes.
func TestFiles_RandomConcurrentChanges(t *testing.T) {
	t.Parallel()
	s, _ := fileTable(t)
	var all []change
	for _, c := range fileChanges {
		all = append(all, c)
	}
	all = append(all, func(ctx context.Context, s *store.Store) error { return setStatus(ctx, s, "a", file.Open) },
		func(ctx context.Context, s *store.Store) error { return setStatus(ctx, s, "b", file.Open) },
		func(ctx context.Context, s *store.Store) error { return moveFile(ctx, s, "f", "a") },
		func(ctx context.Context, s *store.Store) error { return moveFile(ctx, s, "f", "") })
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for j := range 10 {
				_ = createFile(t.Context(), s, fmt.Sprintf("%d-%d", i, j), []string{"", "a", "b"}[j%3])
				_ = all[rand.IntN(len(all))](t.Context(), s) //nolint:gosec // no secret
			}
		})
	}
	running.Wait()
	readState(t, s)
}
