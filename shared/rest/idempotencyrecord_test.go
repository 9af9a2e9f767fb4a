package rest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// publicRoutes returns c's routes, which public keys may also call.
func (c *counted) publicRoutes() []rest.Route {
	routes := c.routes()
	for i := range routes {
		routes[i].Access = rest.PublicToo
	}
	return routes
}

// TestIdempotencyKey_PublicAndSecretKey checks that a public key uses up no Idempotency-Key of the merchant's server
// and sees none of the server's replies, and the reverse (contract §2.8).
func TestIdempotencyKey_PublicAndSecretKey(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.publicRoutes())
	put := func(path, token string) (body string, replayed bool) {
		t.Helper()
		w := f.ask("PUT", path, `{}`, underKey, "Authorization: Bearer "+token)
		if w.Code != 201 {
			t.Errorf("%s: got %d %s, want 201", path, w.Code, w.Body)
		}
		return w.Body.String(), w.Header().Get("Idempotency-Replayed") != ""
	}
	squatted, _ := put("/orders/9", f.public)
	made, replayed := put("/orders/1", f.secret)
	if replayed || made == squatted {
		t.Errorf("the merchant's server: got %s, replayed %t, want a reply of its own, not %s", made, replayed, squatted)
	}
	for _, again := range []struct{ path, token, want string }{{"/orders/1", f.secret, made},
		{"/orders/9", f.public, squatted}, {"/orders/1", f.other, made}} {
		if body, replayed := put(again.path, again.token); !replayed || body != again.want {
			t.Errorf("%s again: got %s, replayed %t, want %s, replayed true", again.path, body, replayed, again.want)
		}
	}
	if w := f.ask("PUT", "/orders/1", `{}`, underKey, "Authorization: Bearer "+f.public); w.Code != 422 ||
		strings.Contains(w.Body.String(), made) {
		t.Errorf("the merchant's request, with a public key: got %d %s, want 422 without %s", w.Code, w.Body, made)
	}
	if c.runs != 2 {
		t.Errorf("got %d runs, want 2", c.runs)
	}
}

// TestIdempotencyKey_SameRequestByBothKinds checks that a request with a public key and the same request with a secret
// key are two operations. Neither continues the other.
func TestIdempotencyKey_SameRequestByBothKinds(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.publicRoutes())
	for _, token := range []string{f.secret, f.public} {
		if w := f.ask("PUT", "/orders/1", `{}`, underKey, "Authorization: Bearer "+token); w.Code != 201 ||
			w.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("got %d %s, headers %v, want 201, not replayed", w.Code, w.Body, w.Header())
		}
	}
	if c.runs != 2 || len(c.ids) != 2 {
		t.Errorf("got %d runs under %d ids, want 2 and 2", c.runs, len(c.ids))
	}
}

// record is the key and the reply of an idempotency record.
type record struct {
	PK    string `dynamo:"pk"`
	Reply []byte `dynamo:"reply"`
}

func (f *fixture) readRecords(t *testing.T) (all []record) {
	t.Helper()
	_, table := f.store.Raw()
	if err := table.Scan().Filter("sk = ?", "IDEMPOTENCY").All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestIdempotencyKey_ReplyInOtherRecord checks that a sealed reply is not replayed from another record.
func TestIdempotencyKey_ReplyInOtherRecord(t *testing.T) {
	t.Parallel()
	c := &counted{}
	f := newFixture(t, c.publicRoutes())
	asked := [][]string{{"Idempotency-Key: a"}, {"Idempotency-Key: b"}, {"Idempotency-Key: a",
		"Authorization: Bearer " + f.public}}
	for _, header := range asked {
		f.ask("PUT", "/orders/1", `{}`, header...)
	}
	records := f.readRecords(t)
	replies := slices.Concat(records[1:], records[:1])
	_, table := f.store.Raw()
	for i, r := range records {
		if err := table.Update("pk", r.PK).Range("sk", "IDEMPOTENCY").Set("reply", replies[i].Reply).Run(
			t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, header := range asked {
		if w := f.ask("PUT", "/orders/1", `{}`, header...); w.Code != 500 || strings.Contains(w.Body.String(), "run ") {
			t.Errorf("request %d: got %d %s, want 500 without a reply", i, w.Code, w.Body)
		}
	}
	if len(records) != len(asked) || c.runs != len(asked) {
		t.Errorf("got %d records, %d runs, want %d of each", len(records), c.runs, len(asked))
	}
}
