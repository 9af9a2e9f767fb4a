package checkouts_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

type fields = map[string]any

// outcome is the state of a checkout at the end of a test.
type outcome struct {
	statuses  string // status of the checkout, then of each transaction
	callbacks int    // callbacks received so far
	captured  int    // number of captures
}

func wantOutcome(t testing.TB, s world.Shop, checkout string, want outcome) {
	t.Helper()
	got := outcome{s.Statuses(checkout), s.CallbacksReceived(checkout), s.CheckoutRecords(checkout).Captured}
	if got != want {
		t.Errorf("got outcome %+v, want %+v", got, want)
	}
}

func wantStatuses(t testing.TB, s world.Shop, checkout, want string) {
	t.Helper()
	if got := s.Statuses(checkout); got != want {
		t.Errorf("got statuses %q, want %q", got, want)
	}
}

func wantCallbacks(t testing.TB, s world.Shop, checkout string, want int) {
	t.Helper()
	if got := s.CallbacksReceived(checkout); got != want {
		t.Errorf("got %d callbacks, want %d", got, want)
	}
}

// change sets a member of a body, named by its path with dots. The value absent removes the member.
type change struct {
	path  string
	value any
}

type removed struct{}

var absent = removed{}

// edited returns a copy of the body with the changes.
func edited(body map[string]any, changes ...change) map[string]any {
	for _, c := range changes {
		body = set(body, c.path, c.value)
	}
	return body
}

func set(body map[string]any, path string, value any) map[string]any {
	clone := map[string]any{}
	maps.Copy(clone, body)
	name, rest, nested := strings.Cut(path, ".")
	switch {
	case nested:
		inner, _ := clone[name].(map[string]any)
		clone[name] = set(inner, rest, value)
	case value == absent:
		delete(clone, name)
	default:
		clone[name] = value
	}
	return clone
}

var missing, invalid = world.Missing, world.Invalid

var (
	malformed  = world.Refused(400, "INVALID_REQUEST", "", "bad-request")
	denied     = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	noCheckout = world.Refused(404, "NOT_FOUND", "", "checkout-not-found")
	unusable   = world.Refused(402, "INSTRUMENT_NOT_CHARGEABLE", "", "instrument-not-chargeable")
	duplicate  = world.Refused(409, "DUPLICATED_CHECKOUT", "", "conflict")
	busy       = world.Refused(409, "CONFLICT", "", "conflict")
	processed  = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-already-processed")
	closed     = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-cant-be-deactivated")
	expired    = world.Refused(409, "CHECKOUT_SESSION_IS_EXPIRED", "", "session-expired")
	upstream   = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
	tooMany    = world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests")
)

// transactions returns a checkout's transactions as raw JSON.
func transactions(t *testing.T, checkout world.Response) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(world.Fields(t, checkout.Body)["transactions"]), &all); err != nil || len(all) == 0 {
		t.Fatalf("got %s: %v, want transactions in it", checkout.Body, err)
	}
	return all
}
