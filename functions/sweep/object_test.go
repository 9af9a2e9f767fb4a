package sweep_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
)

// uploaded creates a pending file whose content has been uploaded. It returns the file and the key of its object.
func uploaded(w *world.World) (world.File, string) {
	w.Helper()
	f := w.Shop().NewFile(world.PDF, nil)
	if status, body := w.Put(f.Upload, world.PDF); status != http.StatusOK {
		w.Fatalf("got %d %s, want it uploaded", status, body)
	}
	stored, err := w.App.Store.File(w.Context(), w.Shop().Tenant(), f.ID)
	if err != nil {
		w.Fatal(err)
	}
	return f, stored.Object
}

// wantGone fails unless the file, its object and the object's entry have been deleted for good.
func wantGone(w *world.World, when string, f world.File, key string) {
	w.Helper()
	w.Want(when, http.StatusNotFound, w.Shop().CompleteFile(f.ID))
	if _, err := w.App.Store.ObjectEntry(w.Context(), key); !failure.Is(err, failure.KindNotFound) {
		w.Errorf("%s: got error %v, want no entry of the object", when, err)
	}
	if n := w.Stored()[key]; n != 0 {
		w.Errorf("%s: got %d versions of the object, want none", when, n)
	}
}

// TestSweepObject_CrashAtEachStep drops a file that was not completed in time, and crashes at each step. The next ticks
// delete the object, and delete it only once.
func TestSweepObject_CrashAtEachStep(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Set("DUE_SHARDS", "1")
	for _, fault := range faults.Plannable {
		for step := 1; ; step++ {
			f, key := uploaded(w)
			w.Clock.Advance(file.PendingTime)
			p := w.Process()
			p.Steps.Plan(step, fault)
			_ = p.TickNow(t.Context(), "sweep")
			when := fmt.Sprintf("%v at step %d of %v", fault, step, p.Steps.Taken())
			over := len(p.Steps.Taken()) < step
			p.Stop()
			for range 2 {
				w.Tick("sweep")
				w.DrainQueues()
				w.Clock.Advance(15 * time.Minute)
			}
			wantGone(w, when, f, key)
			if over {
				break
			}
		}
	}
}

// TestSweepObject_LostMessage checks that a lost message is sent again after a quarter of an hour, and not earlier.
func TestSweepObject_LostMessage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	f, key := uploaded(w)
	w.Clock.Advance(2 * time.Hour)
	w.RefuseObjects(func(string) bool { return true })
	w.Must(http.StatusNoContent, w.Shop().Send("DELETE", w.Shop().FilesPath()+"/"+f.ID, nil))
	w.RefuseObjects(nil)
	for range 31 { // at 0, 15 and 30 minutes
		w.Tick("sweep")
		w.Clock.Advance(time.Minute)
	}
	if n := w.DrainQueues(); n != 3 {
		t.Errorf("got %d messages, want 3", n)
	}
	wantGone(w, "after a message", f, key)
	w.Tick("sweep")
	if n := w.DrainQueues(); n != 0 {
		t.Errorf("got %d messages once it is gone, want none", n)
	}
}

// TestSweepObject_CompletedInTime checks that a file completed at the last moment is not dropped.
func TestSweepObject_CompletedInTime(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Set("DUE_SHARDS", "1")
	for step := 1; ; step++ {
		f, key := uploaded(w)
		w.Clock.Advance(file.PendingTime)
		p, answer := w.Process(), world.Response{}
		p.Steps.Meanwhile("", step, func() { answer = w.Shop().CompleteFile(f.ID) })
		if err := p.TickNow(t.Context(), "sweep"); err != nil {
			t.Error(err)
		}
		when := fmt.Sprintf("at step %d of %v", step, p.Steps.Taken())
		over := len(p.Steps.Taken()) < step
		p.Stop()
		w.DrainQueues()
		e, err := w.App.Store.ObjectEntry(t.Context(), key)
		if answer.Status == http.StatusOK && (err != nil || e.State != file.ObjectUploaded || w.Stored()[key] != 1) {
			t.Errorf("%s: got %+v, %v, want it uploaded", when, e, err)
		}
		if answer.Status != http.StatusOK {
			wantGone(w, when, f, key)
		}
		if over {
			break
		}
	}
}

// TestSweepObject_EntryWithoutFile checks an entry whose file does not exist, although no code should leave such an
// entry. Its object is deleted.
func TestSweepObject_EntryWithoutFile(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	f, key := uploaded(w)
	_, table := w.App.Store.Raw()
	err := table.Delete("pk", "FILES#"+w.Shop().Tenant().String()).Range("sk", "FILE#"+f.ID).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(file.PendingTime)
	w.Tick("sweep")
	w.DrainQueues()
	wantGone(w, "after a day", f, key)
}
