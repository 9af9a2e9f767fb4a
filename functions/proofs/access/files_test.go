package access_test

import (
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/file"
)

// storeFiles creates, uploads and deletes files. At each write, the function or the sweep loses the reply. Finally
// reconcile compares files with their objects.
func (e *everything) storeFiles() {
	in := e.mustDo(world.Request{Method: "POST", Path: e.CollectionsPath(), APIKey: e.Merchant.Key.Plaintext,
		Body: map[string]any{"name": "Papers"}}).Text("id")
	var one world.File
	upload := func(content string) func() {
		return func() {
			one = e.NewFile(content, map[string]any{"collection_id": in})
			if status, body := e.Put(one.Upload, content); status != http.StatusOK {
				e.Errorf("got %d %s from S3, want 200", status, body)
			}
		}
	}
	about := func(method string, body any) func(*world.Process) {
		return func(p *world.Process) {
			p.Do(world.Request{Method: method, Path: e.FilesPath() + "/" + one.ID, APIKey: e.Merchant.Key.Plaintext, Body: body})
		}
	}
	completed := map[string]any{"status": "uploaded"}
	for _, step := range []func(*world.Process){about("PUT", completed), about("PUT", map[string]any{"collection_id": ""}),
		about("DELETE", nil)} {
		e.loseReplies(upload(world.PDF), step)
	}
	e.loseReplies(upload("It is no PDF."), about("PUT", completed))
	e.loseReplies(func() {
		upload(world.PDF)()
		e.Clock.Advance(file.PendingTime)
	}, func(p *world.Process) {
		_ = p.TickNow(e.Context(), "sweep")
		_, _ = p.DrainQueues(e.Context())
	})
	upload(world.PDF)()
	e.Clock.Advance(time.Minute)
	e.Reconcile()
	e.RunUntilIdle()
}

// loseObject deletes the entry of a file's object and reconciles.
func (e *everything) loseObject() {
	e.Helper()
	f, err := e.App.Store.File(e.Context(), e.Tenant(), e.UploadedFile(world.PDF, nil).ID)
	if err != nil {
		e.Fatal(err)
	}
	id := file.ObjectID(f.Object)
	_, table := e.App.Store.Raw()
	if err := table.Delete("pk", "OBJECTS#"+id[:1]).Range("sk", id).Run(e.Context()); err != nil {
		e.Fatal(err)
	}
	e.Reconcile()
}
