package audit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
)

type object = map[string]any

var by = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")

func TestNew_Nobody(t *testing.T) {
	t.Parallel()
	for name, nobody := range map[string]audit.By{"zero": {},
		"without an actor":     audit.ByPlatform(audit.Actor{Source: "192.0.2.1"}, "POST /pay"),
		"without an operation": audit.ByPlatform(by.Actor, ""),
		"without rights":       {Actor: by.Actor, Operation: by.Operation}} {
		if e, err := audit.New(nobody, time.Time{}, audit.Change{}); !errors.Is(err, audit.ErrNobody) || e.ID != "" {
			t.Errorf("%s: got %+v, %v, want %v", name, e, err, audit.ErrNobody)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	actor := audit.Actor{Kind: audit.APIKey, ID: "key_1", Source: "192.0.2.1", Request: "r"}
	author := audit.ByPlatform(actor, "PUT /v0.1/me")
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got, err := audit.New(author, at, audit.Change{Mode: identity.Test,
		Subject: "merchant", Before: object{"a": 1, "b": 2}, After: object{"a": 1, "b": 3}})
	want := audit.Entry{ID: got.ID, At: at, Mode: identity.Test, Actor: actor, Operation: "PUT /v0.1/me",
		Subject: "merchant", Before: `{"b":2}`, After: `{"b":3}`}
	if err != nil || got != want || len(got.ID) != 36 {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if again, err := audit.New(by, at, audit.Change{}); err != nil || again.ID == got.ID {
		t.Errorf("got the id %s again, %v, want another", again.ID, err)
	}
}

func TestNew_OnlyDifferences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after any
		old, changed  audit.Fields
	}{
		"nothing":      {object{"a": 1}, object{"a": 1}, "", ""},
		"created":      {nil, object{"a": 1}, "", `{"a":1}`},
		"deleted":      {object{"a": 1}, nil, `{"a":1}`, ""},
		"a field more": {object{"a": 1}, object{"a": 1, "b": false}, "", `{"b":false}`},
		"a field less": {object{"a": 1, "b": nil}, object{"a": 1}, `{"b":null}`, ""},
		"within": {object{"o": object{"a": 1, "b": 1}}, object{"o": object{"a": 1, "b": 2}},
			`{"o":{"b":1}}`, `{"o":{"b":2}}`},
		"an object more": {object{}, object{"o": object{"a": 1}}, "", `{"o":{"a":1}}`},
		"now an object":  {object{"o": 1}, object{"o": object{"a": 1}}, `{"o":1}`, `{"o":{"a":1}}`},
		"a list":         {object{"l": []int{1, 2}}, object{"l": []int{1, 3}}, `{"l":[1,2]}`, `{"l":[1,3]}`},
		"the same list":  {object{"l": []int{1, 2}}, object{"l": []int{1, 2}}, "", ""},
		"a 17th digit": {object{"n": uint64(math.MaxUint64)}, object{"n": uint64(math.MaxUint64 - 1)},
			`{"n":18446744073709551615}`, `{"n":18446744073709551614}`},
		"null and absent": {object{"o": nil}, object{"o": object{"a": 1}}, `{"o":null}`, `{"o":{"a":1}}`},
	} {
		e, err := audit.New(by, time.Time{}, audit.Change{Before: c.before, After: c.after})
		if err != nil || e.Before != c.old || e.After != c.changed {
			t.Errorf("%s: got %s and %s, %v, want %s and %s", name, e.Before, e.After, err, c.old, c.changed)
		}
	}
}

// TestNew_TooLarge checks that entries stay small: an item of the table has at most 400 KB.
func TestNew_TooLarge(t *testing.T) {
	t.Parallel()
	fits, long := strings.Repeat("x", 4<<10-2), strings.Repeat("x", 4<<10-1) // including two quotes
	e, err := audit.New(by, time.Time{}, audit.Change{Before: object{"t": fits}, After: object{"t": long}})
	if want := audit.Fields(`{"t":"` + fits + `"}`); err != nil || e.Before != want {
		t.Errorf("4 KiB: got %d bytes, %v, want %d", len(e.Before), err, len(want))
	}
	if want := `{"t":{"bytes":4097,"sha256":"`; !strings.HasPrefix(string(e.After), want) {
		t.Errorf("a byte more: got %s, want it to begin with %s", e.After, want)
	}
	many := object{}
	for i := range 100 {
		many[fmt.Sprint("t", i)] = strings.Repeat("x", 1000)
	}
	e, err = audit.New(by, time.Time{}, audit.Change{After: many})
	if err != nil || len(e.After) > 100 || !strings.Contains(string(e.After), `"sha256"`) {
		t.Errorf("100 KB: got %s, %v, want its digest", e.After, err)
	}
}
