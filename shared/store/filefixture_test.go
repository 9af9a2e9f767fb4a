package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createCollection creates an open collection.
func createCollection(ctx context.Context, s *store.Store, id string) error {
	return errOf(s.CreateCollection(ctx, byTest, tenant,
		file.Collection{ID: id, Name: id, Status: file.Open, CreatedAt: s.Now()}))
}

// newPendingFile returns a new file of a collection. The key of its object follows from its id.
func newPendingFile(s *store.Store, id, collection string) file.File {
	key := fmt.Sprintf("%s%032x", file.Prefix, id)
	return file.File{ID: id, Name: "a.pdf", ContentType: file.PDF, Size: 1, Collection: collection, Status: file.Pending,
		Object: key[:len(file.Prefix)+32], CreatedAt: s.Now()}
}

func createFile(ctx context.Context, s *store.Store, id, collection string) error {
	return errOf(s.CreateFile(ctx, byTest, tenant, newPendingFile(s, id, collection)))
}

// completeFile completes a file with a version of its object.
func completeFile(ctx context.Context, s *store.Store, id, revision string) (file.File, error) {
	return s.UpdateFile(ctx, byTest, tenant, id, func(f file.File) (file.File, error) {
		return f.Complete(file.Content{Revision: revision, SHA256: "sum of " + revision}, s.Now()), nil
	})
}

func moveFile(ctx context.Context, s *store.Store, id, to string) error {
	return errOf(s.UpdateFile(ctx, byTest, tenant, id, func(f file.File) (file.File, error) {
		return f.Move(to, s.Now()),
			nil
	}))
}

func setStatus(ctx context.Context, s *store.Store, id string, status file.CollectionStatus) error {
	return errOf(s.UpdateCollection(ctx, byTest, tenant, id, func(c file.Collection) (file.Collection, error) {
		return file.CollectionChange{Status: status}.Apply(c, s.Now())
	}))
}

// fileTable returns a table with the file "f" in the collection "a", and the empty collection "b".
func fileTable(t *testing.T) (*store.Store, *faults.Wire) {
	t.Helper()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	for _, err := range []error{createCollection(t.Context(), s, "a"), createCollection(t.Context(), s, "b"),
		createFile(t.Context(), s, "f", "a")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, wire
}

// state is the content of a table: the tenant's files as "id status collection", the number of files of each
// collection, and the state of each object.
type state struct {
	Files       []string
	Collections map[string]string
	Objects     map[string]file.State
}

// readState reads the state, and fails if its records disagree.
func readState(t *testing.T, s *store.Store) state {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	got := state{Collections: map[string]string{}, Objects: map[string]file.State{}}
	files, total, err := s.Files(ctx, tenant, store.FileFilter{}, 0, 100)
	if err != nil || total != len(files) {
		t.Errorf("got %d files, total %d, %v", len(files), total, err)
	}
	of, wanted := map[string]int{}, map[string]file.Entry{}
	for _, f := range files {
		got.Files = append(got.Files, fmt.Sprintf("%s %s %s", f.ID, f.Status, f.Collection))
		filter := store.FileFilter{Status: f.Status, Collection: f.Collection}
		if found, _, listErr := s.Files(ctx, tenant, filter, 0, 100); listErr != nil || !slices.Contains(found, f) {
			t.Errorf("got %+v, %v by %+v, want %+v in it", found, listErr, filter, f)
		}
		of[f.Collection]++
		wanted[f.Object] = file.Entry{Key: f.Object, Tenant: tenant, File: f.ID, State: file.State(f.Status),
			Revision: f.Revision}
	}
	all := []file.CollectionStatus{file.Open, file.Closed, file.Archived}
	collections, _, err := s.Collections(ctx, tenant, all, 0, 100)
	if err != nil {
		t.Error(err)
	}
	for _, c := range collections {
		got.Collections[c.ID] = fmt.Sprintf("%s %d", c.Status, c.Files)
		if c.Files != of[c.ID] {
			t.Errorf("got %d files of %s counted, want %d", c.Files, c.ID, of[c.ID])
		}
	}
	for shard := range file.Shards {
		for e, err := range s.ObjectEntries(ctx, shard, "") {
			if err != nil {
				t.Fatal(err)
			}
			got.Objects[e.File] = e.State
			if want, ok := wanted[e.Key]; ok != (e.State != file.ObjectDoomed) || ok && !cmp.Equal(want, e,
				cmpopts.IgnoreFields(file.Entry{}, "LinkUntil", "DueAt", "Version")) {
				t.Errorf("got the object %+v, want %+v", e, want)
			}
			delete(wanted, e.Key)
		}
	}
	if n := count(t, s, "COUNT#FILES"); n != len(got.Objects) {
		t.Errorf("got %d files counted, want those of the objects %v", n, got.Objects)
	}
	if len(wanted) > 0 {
		t.Errorf("got no objects of %v", wanted)
	}
	return got
}

func count(t *testing.T, s *store.Store, sortKey string) int {
	t.Helper()
	_, table := s.Raw()
	var got struct {
		Count int `dynamo:"count"`
	}
	err := table.Get("pk", "FILES#"+tenant.String()).Range("sk", dynamo.Equal, sortKey).One(context.WithoutCancel(
		t.Context()), &got)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		t.Fatal(err)
	}
	return got.Count
}

func wantFiles(t *testing.T, name string, s *store.Store, want state) {
	t.Helper()
	if diff := cmp.Diff(want, readState(t, s), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// The states that tests end in.
func inA(status file.Status, a, b string) state {
	return state{Files: []string{"f " + string(status) + " a"}, Collections: map[string]string{"a": a, "b": b},
		Objects: map[string]file.State{"f": file.State(status)}}
}

func inB(status file.Status, a, b string) state {
	want := inA(status, a, b)
	want.Files[0] = "f " + string(status) + " b"
	return want
}

func gone(a, b string) state {
	return state{Collections: map[string]string{"a": a, "b": b}, Objects: map[string]file.State{"f": file.ObjectDoomed}}
}
