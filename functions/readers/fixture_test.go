package readers_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

type fields = map[string]any

// device is the part of a response that describes a terminal.
type device struct {
	Identifier string `json:"identifier"`
	Model      string `json:"model"`
}

// cardReader is the part of a response that describes a reader.
type cardReader struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Status         string          `json:"status"`
	Device         device          `json:"device"`
	Meta           json.RawMessage `json:"meta"`
	Metadata       json.RawMessage `json:"metadata"`
	ServiceAccount string          `json:"service_account_id"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
}

// shop is a shop with readers.
type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	return shop{world.NewShop(t)}
}

// as returns the shop with another credential.
func (s shop) as(credential string) shop { return shop{s.WithKey(credential)} }

// live returns a merchant in live mode, and the same merchant with a key of test mode.
func (s shop) live() (live, test shop) {
	s.Helper()
	one := s.NewLiveShop()
	return shop{one}, shop{one.WithTestKey()}
}

func (s shop) path(id string) string { return s.ReadersPath() + "/" + id }

// pair creates a reader of the terminal that shows the code.
func (s shop) pair(code string) cardReader {
	s.Helper()
	return s.shown(201, s.Send("POST", s.ReadersPath(), fields{"pairing_code": code}))
}

// pairConfirmed creates a reader, and lets its terminal confirm the pairing.
func (s shop) pairConfirmed(code string) cardReader {
	s.Helper()
	r := s.pair(code)
	s.Clock.Advance(2 * time.Second)
	if r = s.get(r.ID); r.Status != "paired" {
		s.Fatalf("got %+v, want it paired", r)
	}
	return r
}

func (s shop) shown(status int, got world.Response) cardReader {
	s.Helper()
	return world.Into[cardReader](s, status, got)
}

func (s shop) get(id string) cardReader {
	s.Helper()
	return s.shown(200, s.Send("GET", s.path(id), nil))
}

func (s shop) list() []cardReader {
	s.Helper()
	return world.Into[struct{ Items []cardReader }](s, 200, s.Send("GET", s.ReadersPath(), nil)).Items
}

// wantEmpty fails unless the response is 200 without a body (contract §2.3).
func (s shop) wantEmpty(what string, got world.Response) {
	s.Helper()
	if got.Status != 200 || len(got.Body) > 0 || got.Header.Get("Content-Length") != "0" {
		s.Errorf("%s: got %d %s, Content-Length %q, want 200 with Content-Length 0", what, got.Status, got.Body,
			got.Header.Get("Content-Length"))
	}
}

// unpairAtTerminal ends the pairing at the terminal, as the person at the terminal does.
func (s shop) unpairAtTerminal(id string) {
	s.Helper()
	if err := s.App.Virtual.Unpair(s.Context(), id); err != nil {
		s.Fatal(err)
	}
}

// refusals of the family.
var (
	notAllowed = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	conflict   = world.Refused(409, "CONFLICT", "", "conflict")
)
