package files_test

import (
	"crypto/rand"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestFiles_TransactionConflicts checks changes whose transactions conflict. DynamoDB refuses a transaction if another
// transaction on the same item is in flight. All changes of a merchant's files share a count, so they may conflict. A
// refused change is tried again. If the conflicts never end, the change fails, and the client may repeat it.
func TestFiles_TransactionConflicts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.createCollection("a"), s.createCollection("b")
	uploaded := func() string { return s.UploadedFile(world.PDF, fields{"collection_id": a.ID}).ID }
	for name, c := range map[string]struct {
		request func() world.Request
		status  int
	}{
		"create": {func() world.Request {
			return world.Request{Method: "POST", Path: s.FilesPath(), Body: fileBody(fields{"collection_id": a.ID})}
		}, 201},
		"complete": {func() world.Request {
			f := s.NewFile(world.PDF, fields{"collection_id": a.ID})
			s.put("upload", 200, f.Upload, world.PDF)
			return world.Request{Method: "PUT", Path: s.path(f.ID), Body: fields{"status": "uploaded"}}
		}, 200},
		"refuse": {func() world.Request {
			f := s.NewFile("x"+world.PDF[1:], fields{"collection_id": a.ID})
			s.put("upload", 200, f.Upload, "x"+world.PDF[1:])
			return world.Request{Method: "PUT", Path: s.path(f.ID), Body: fields{"status": "uploaded"}}
		}, 409},
		"move": {func() world.Request {
			return world.Request{Method: "PUT", Path: s.path(uploaded()), Body: fields{"collection_id": b.ID}}
		}, 200},
		"delete": {func() world.Request { return world.Request{Method: "DELETE", Path: s.path(uploaded())} }, 204},
		"collect": {func() world.Request {
			return world.Request{Method: "POST", Path: s.CollectionsPath(), Body: fields{"name": "c"}}
		}, 201},
		"close": {func() world.Request {
			return world.Request{Method: "PUT", Path: s.collection(s.createCollection("c").ID), Body: fields{"status": "closed"}}
		}, 200},
	} {
		for _, many := range []int{1, 10, -1} {
			r := c.request()
			r.APIKey, r.IdempotencyKey = s.Merchant.Key.Plaintext, rand.Text()
			p := s.Process()
			p.Steps.Inject(faults.Times(many, "TransactWriteItems", faults.Conflict))
			got := p.Do(r)
			if many < 0 {
				conflict.Check(t, got)
				p.Steps.Inject(nil)
				got = p.Do(r)
			}
			if got.Status != c.status || got.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("%s after %d conflicts: got %d %s, want %d", name, many, got.Status, got.Body, c.status)
			}
			p.Stop()
			if n, all := s.countFiles(), len(s.readEntries()); n != all {
				t.Errorf("%s after %d conflicts: got %d files counted, want %d", name, many, n, all)
			}
		}
	}
}
