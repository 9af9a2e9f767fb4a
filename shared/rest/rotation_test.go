package rest_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// newFleets returns the processes of one function around a change of its hash key, which takes effect in an hour.
// before runs before the deployment, after runs after it, and last runs once the old key is gone.
func (f *fixture) newFleets(routes []rest.Route) (before, after, last http.Handler) {
	next, since := bytes.Repeat([]byte("n"), 32), f.Now().Add(time.Hour)
	both := func(c *rest.Config) { c.HashKey, c.OldHashKey, c.HashKeySince = next, hashKey, since }
	alone := func(c *rest.Config) { c.HashKey, c.HashKeySince = next, since }
	return f.handler, f.newProcess(routes, both), f.newProcess(routes, alone)
}

// TestHashKey_RecordSurvivesRotation checks a record that was made with the old key. Its reply is replayed, and another
// request is refused. After a crash the next request continues the operation under its id.
func TestHashKey_RecordSurvivesRotation(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	before, after, last := f.newFleets(c.routes())
	post := func(h http.Handler, body, key string) (status int, replayed bool) {
		w := answer(h, f.request("POST", "/orders/1", body, "Idempotency-Key: "+key))
		return w.Code, w.Header().Get("Idempotency-Replayed") != ""
	}
	post(before, `{}`, "done")
	f.wire.Inject(faults.Always("UpdateItem", faults.FailBefore)) // the reply is never recorded, as after a crash
	post(before, `{}`, "crashed")
	f.wire.Inject(nil)
	f.Advance(2 * time.Hour)
	if status, replayed := post(after, `{}`, "done"); status != 201 || !replayed {
		t.Errorf("the same request: got %d, replayed %t, want 201, replayed true", status, replayed)
	}
	if status, _ := post(after, `{"number":"2"}`, "done"); status != 422 {
		t.Errorf("another request: got %d, want 422", status)
	}
	ids := len(c.ids)
	if status, replayed := post(after, `{}`, "crashed"); status != 201 || replayed || c.runs != 3 || len(c.ids) != ids {
		t.Errorf("the crashed request: got %d, replayed %t, %d runs under %d ids, want 201, replayed false, 3 under %d",
			status, replayed, c.runs, len(c.ids), ids)
	}
	if status, replayed := post(after, `{}`, "crashed"); status != 201 || !replayed {
		t.Errorf("taken over, then repeated: got %d, replayed %t, want 201, replayed true", status, replayed)
	}
	if status, _ := post(last, `{}`, "done"); status != 422 {
		t.Errorf("without the key of the record: got %d, want 422", status)
	}
}

// TestHashKey_NewRecordsDuringRotation checks that no process makes a record with the new key while some processes do
// not know it yet.
func TestHashKey_NewRecordsDuringRotation(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	before, after, last := f.newFleets(c.routes())
	replayed := func(h http.Handler, key string) bool {
		w := answer(h, f.request("POST", "/orders/1", `{}`, "Idempotency-Key: "+key))
		return w.Code == 201 && w.Header().Get("Idempotency-Replayed") != ""
	}
	replayed(after, "early")
	if !replayed(before, "early") {
		t.Error("an old process, before the time: got a new run, want the replay of a new process's record")
	}
	f.Advance(time.Hour)
	replayed(after, "late")
	if late, early := replayed(last, "late"), replayed(last, "early"); !late || early {
		t.Errorf("with the new key alone: got late replayed %t, early %t, want true and false", late, early)
	}
}
