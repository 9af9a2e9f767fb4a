package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

const underKey = "Idempotency-Key: order 1"

type order struct {
	ID     string `path:"id"`
	Number string `json:"number"`
	Amount any    `json:"amount"`
}

// counted is an operation that counts its runs and records their operation ids.
type counted struct {
	mu   sync.Mutex
	runs int
	ids  map[string]bool
	fail error
}

func (c *counted) run(ctx context.Context, in order) (textResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	c.ids[rest.OperationID(ctx)] = true
	return textResponse{fmt.Sprintf("run %d %s", c.runs, in.Number)}, c.fail
}

func (c *counted) routes() []rest.Route {
	all := []rest.Route{{Method: "GET", Path: "/orders/{id}", Handle: rest.JSON(200, c.run)}}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		all = append(all, rest.Route{Method: method, Path: "/orders/{id}", Handle: rest.JSON(201, c.run)})
	}
	return all
}

// sameReply compares the parts that a replay has to repeat.
func sameReply(a, b *httptest.ResponseRecorder) bool {
	return a.Code == b.Code && a.Body.String() == b.Body.String() &&
		a.Header().Get("Content-Type") == b.Header().Get("Content-Type")
}

func TestIdempotencyKey_Replay(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		c := &counted{}
		f := newFixture(t, c.routes())
		first := f.ask(method, "/orders/1?b=2&a=1", `{"number":"4711","amount":10.0}`, underKey)
		again := f.ask(method, "/orders/%31?a=1&b=2", ` {"amount":1e1, "number":"47\u00311"} `, underKey)
		if c.runs != 1 || first.Code != 201 || !sameReply(first, again) {
			t.Errorf("%s: got %d runs, %d %s then %d %s, want 1 run and twice the same 201", method, c.runs,
				first.Code, first.Body, again.Code, again.Body)
		}
		if first.Header().Get("Idempotency-Replayed") != "" || again.Header().Get("Idempotency-Replayed") != "true" ||
			first.Header().Get("X-Request-Id") == again.Header().Get("X-Request-Id") {
			t.Errorf("%s: got headers %v then %v, want only the second replayed, and two request ids", method,
				first.Header(), again.Header())
		}
	}
}

// TestIdempotencyKey_ReplayWithoutContent checks the replies of refunds: 204, or 201 with {}.
func TestIdempotencyKey_ReplayWithoutContent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	for _, path := range []string{"/nothing", "/object", "/empty"} {
		key := "Idempotency-Key: " + path
		first, again := f.ask("POST", path, "", key), f.ask("POST", path, "{}", key)
		if first.Code >= 300 || !sameReply(first, again) || again.Header().Get("Idempotency-Replayed") != "true" ||
			first.Header().Get("Content-Length") != again.Header().Get("Content-Length") {
			t.Errorf("%s: got %d %v %s then %d %v %s, want a success and its replay", path,
				first.Code, first.Header(), first.Body, again.Code, again.Header(), again.Body)
		}
	}
}

func TestIdempotencyKey_OtherRequest(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	f.ask("POST", "/orders/1", `{"number":"1"}`, underKey)
	for _, other := range []struct{ method, path, body string }{
		{"PUT", "/orders/1", `{"number":"1"}`}, {"POST", "/orders/2", `{"number":"1"}`},
		{"POST", "/orders/1?a=1", `{"number":"1"}`}, {"POST", "/orders/1", `{"number":"2"}`}, {"POST", "/orders/1", ``},
		{"POST", "/orders/1", "\ufeff" + `{"number":"2"}`},
	} {
		w := f.ask(other.method, other.path, other.body, underKey)
		if got := decodeObject(t, w); w.Code != 422 || got["error_code"] != "IDEMPOTENCY_KEY_REUSED" ||
			got["type"] != baseURL+"/problems/idempotency-key-reused" {
			t.Errorf("%v: got %d %s, want 422 IDEMPOTENCY_KEY_REUSED", other, w.Code, w.Body)
		}
	}
	marked := f.ask("POST", "/orders/1", "\ufeff"+`{"number":"1"}`, underKey)
	if marked.Code >= 300 || marked.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same after a byte order mark: got %d %s, want its reply", marked.Code, marked.Body)
	}
	f.ask("POST", "/orders/1", `{"number":"2"}`, "Idempotency-Key: order 2")
	f.ask("POST", "/orders/1", `{"number":"2"}`)
	f.ask("GET", "/orders/1", ``, underKey)
	if c.runs != 4 || len(c.ids) != 4 {
		t.Errorf("got %d runs under %d ids, want 4 and 4", c.runs, len(c.ids))
	}
}

func TestIdempotencyKey_Invalid(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	for _, key := range []string{"", strings.Repeat("k", 256), "é", "a\tb", "a\x7f"} {
		r := f.request("POST", "/orders/1", ``)
		r.Header["Idempotency-Key"] = []string{key}
		w := answer(f.handler, r)
		want := invalidError("Idempotency-Key", "must be 1 to 255 printable ASCII characters.")
		if diff := cmp.Diff(want, errorOf(t, w)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", key, diff)
		}
	}
	if w := f.ask("POST", "/orders/1", ``, "Idempotency-Key: "+strings.Repeat("~", 255)); w.Code != 201 || c.runs != 1 {
		t.Errorf("longest key: got %d %s after %d runs, want 201 after 1", w.Code, w.Body, c.runs)
	}
}

func TestIdempotencyKey_FirstStillRunning(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	f := newFixture(t, []rest.Route{{Method: "POST", Path: "/orders/{id}",
		Handle: rest.JSON(201, func(context.Context, order) (textResponse, error) {
			close(began)
			<-end
			return textResponse{"made"}, nil
		})}})
	var first sync.WaitGroup
	first.Go(func() { f.ask("POST", "/orders/1", `{}`, underKey) })
	<-began
	w := f.ask("POST", "/orders/1", `{}`, underKey)
	close(end)
	first.Wait()
	want := shownError{409, "IDEMPOTENCY_IN_PROGRESS", "", "The first request with this Idempotency-Key is still running."}
	if diff := cmp.Diff(want, errorOf(t, w)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := w.Header().Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After: got %q, want 1", got)
	}
	if w = f.ask("POST", "/orders/1", `{}`, underKey); w.Code != 201 || w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("afterwards: got %d, want a replay", w.Code)
	}
}

func TestIdempotencyKey_HundredConcurrentRequests(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	var all sync.WaitGroup
	var created, busy atomic.Int64
	for range 100 {
		all.Go(func() {
			w := f.ask("POST", "/orders/1", `{"number":"1"}`, underKey)
			switch {
			case w.Code == 201 && w.Body.String() == `{"text":"run 1 1"}`:
				created.Add(1)
			case w.Code == 409 && w.Header().Get("Retry-After") == "1" &&
				strings.Contains(w.Body.String(), `"IDEMPOTENCY_IN_PROGRESS"`):
				busy.Add(1)
			}
		})
	}
	all.Wait()
	if c.runs != 1 || created.Load() < 1 || created.Load()+busy.Load() != 100 {
		t.Errorf("got %d runs, %d replies, %d in progress, want 1 run, a reply, and 100 of both", c.runs,
			created.Load(), busy.Load())
	}
	if w := f.ask("POST", "/orders/1", `{"number":"1"}`, underKey); w.Code != 201 ||
		w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("afterwards: got %d %v, want 201 with Idempotency-Replayed true", w.Code, w.Header())
	}
}

func TestIdempotencyKey_RepliesNotStored(t *testing.T) {
	t.Parallel()
	no := func(kind failure.Kind) *failure.Error { return &failure.Error{Kind: kind, Message: "No."} }
	for fault, kept := range map[*failure.Error]bool{
		no(failure.KindInternal): false, no(failure.KindUnauthorized): false, no(failure.KindForbidden): false,
		no(failure.KindUpstream): false,
		no(failure.KindTooMany):  false, no(failure.KindTimeout): false, no(failure.KindConflict).AsTransient(): false,
		no(failure.KindInvalid): true, no(failure.KindNotChargeable): true, no(failure.KindNotFound): true,
		no(failure.KindConflict):      true,
		no(failure.KindUnprocessable): true,
	} {
		c := &counted{fail: fmt.Errorf("refused: %w", fault)}
		f := newFixture(t, c.routes())
		first := f.ask("POST", "/orders/1", `{}`, underKey)
		again := f.ask("POST", "/orders/1", `{}`, underKey)
		if kept && (c.runs != 1 || !sameReply(first, again)) {
			t.Errorf("%d is kept: got %d runs, %s then %d %s, want 1 run and the same reply twice", first.Code, c.runs,
				first.Body, again.Code, again.Body)
		}
		if !kept && (c.runs != 2 || len(c.ids) != 1 || again.Header().Get("Idempotency-Replayed") != "") {
			t.Errorf("%d is not kept: got %d runs under %d ids, headers %v, want 2 runs under 1 id, not replayed",
				first.Code, c.runs, len(c.ids), again.Header())
		}
		if w := f.ask("POST", "/orders/1", `{"number":"1"}`, underKey); w.Code != 422 {
			t.Errorf("another request after a %d: got %d %s, want 422", first.Code, w.Code, w.Body)
		}
	}
}

func TestIdempotencyKey_ReleasedAfterPanic(t *testing.T) {
	t.Parallel()
	runs := 0
	f := newFixture(t, []rest.Route{route("POST", "/orders", func(context.Context, emptyRequest) (textResponse, error) {
		if runs++; runs == 1 {
			panic("first")
		}
		return textResponse{"second"}, nil
	})})
	first := f.ask("POST", "/orders", "", underKey)
	if again := f.ask("POST", "/orders", "", underKey); first.Code != 500 || again.Code != 200 {
		t.Errorf("got %d then %d, want 500 then 200", first.Code, again.Code)
	}
}

func TestIdempotencyKey_TakenOverAfterCrash(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	f.wire.Inject(faults.Always("UpdateItem", faults.FailBefore)) // the reply is never recorded, as after a crash
	first := f.ask("POST", "/orders/1", `{}`, underKey)
	f.wire.Inject(nil)
	if first.Code != 201 {
		t.Errorf("an operation whose reply is not recorded: got %d %s, want 201", first.Code, first.Body)
	}
	f.Advance(59 * time.Second)
	if w := f.ask("POST", "/orders/1", `{}`, underKey); w.Code != 409 || c.runs != 1 {
		t.Errorf("after 59 s: got %d, %d runs, want 409, 1 run", w.Code, c.runs)
	}
	f.Advance(time.Second)
	if w := f.ask("POST", "/orders/1", `{}`, underKey); w.Code != 201 || c.runs != 2 || len(c.ids) != 1 {
		t.Errorf("after 60 s: got %d, %d runs under %d ids, want 201, 2 runs under 1 id", w.Code, c.runs, len(c.ids))
	}
	for id := range c.ids {
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 4 || parsed.Variant() != uuid.RFC4122 {
			t.Errorf("got operation id %s, want a random UUID", id)
		}
	}
}

func TestIdempotencyKey_ClaimFails(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	f.wire.Inject(faults.Always("PutItem", faults.FailBefore))
	if w := f.ask("POST", "/orders/1", `{}`, underKey); w.Code != 500 || c.runs != 0 {
		t.Errorf("got %d, %d runs, want 500, no run", w.Code, c.runs)
	}
}

func TestIdempotencyKey_ExpiresAfter31Days(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.routes())
	f.ask("POST", "/orders/1", `{}`, underKey)
	f.Advance(31*24*time.Hour - time.Second)
	f.ask("POST", "/orders/1", `{}`, underKey)
	if c.runs != 1 {
		t.Errorf("within 31 days: got %d runs, want 1", c.runs)
	}
	f.Advance(time.Second)
	f.ask("POST", "/orders/1", `{"number":"2"}`, underKey)
	if c.runs != 2 {
		t.Errorf("after 31 days: got %d runs, want 2", c.runs)
	}
}

// newKey is a result with a secret in plain text that is shown once.
type newKey struct {
	ID        string `json:"id"`
	Plaintext string `json:"plaintext,omitempty"`
}

func (k newKey) Redacted() any { k.Plaintext = ""; return k }

func TestIdempotencyKey_StoredReplyIsSealed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("POST", "/keys", func(_ context.Context, in order) (newKey, error) {
		return newKey{"key of " + in.Number, "plaintext-4711"}, nil
	})})
	first := f.ask("POST", "/keys", `{"number":"personal-4242"}`, "Idempotency-Key: client-key-1")
	again := f.ask("POST", "/keys", `{"number":"personal-4242"}`, "Idempotency-Key: client-key-1")
	if first.Body.String() != `{"id":"key of personal-4242","plaintext":"plaintext-4711"}` ||
		again.Body.String() != `{"id":"key of personal-4242"}` {
		t.Errorf("got %s then %s, want the plaintext only in the first", first.Body, again.Body)
	}
	for _, secret := range []string{"personal-4242", "plaintext-4711", "client-key-1", f.secret} {
		if strings.Contains(f.sent.String(), secret) {
			t.Errorf("got %s sent to the table, want no %s in it", &f.sent, secret)
		}
	}
}

func TestIdempotencyKey_OpenRoute(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, []rest.Route{{Method: http.MethodPost, Path: "/orders/{id}", Access: rest.Open,
		Handle: rest.JSON(200, c.run)}})
	f.ask("POST", "/orders/1", `{}`, underKey)
	f.ask("POST", "/orders/1", `{}`, underKey)
	if c.runs != 2 {
		t.Errorf("got %d runs, want 2", c.runs)
	}
}
