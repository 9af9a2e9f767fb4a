package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type limited struct {
	Order string   `query:"order" json:"-" validate:"one-of=asc|desc"`
	Days  []string `query:"days" json:"-" validate:"date"`
	Since string   `query:"since" json:"-" validate:"required"`
	Name  string   `json:"name" validate:"required text=3"`
	Note  string   `json:"note" validate:"text=3"`
	Count int      `json:"count"`
}

func nameOf(_ context.Context, in limited) (textResponse, error) { return textResponse{in.Name}, nil }

// TestDecode_FieldLimits checks the order of faults. The limits of a query are reported together with values that
// cannot be read. All other limits are reported after these faults, before the operation runs.
func TestDecode_FieldLimits(t *testing.T) {
	t.Parallel()
	several := route("POST", "/several", nameOf)
	several.Errors = rest.Several
	f := newFixture(t, []rest.Route{route("POST", "/first", nameOf), several})
	for _, c := range []struct{ path, body, code, param, slug string }{
		{"/first?since=x", `{"name":"abc","note":""}`, "", "", ""},
		{"/first?order=up&since=x", `{"name":""}`, "INVALID", "order", "invalid-parameter"},
		{"/first?order=up&days=x", `{"count":"x"}`, "INVALID", "order", "multiple-invalid-parameters"},
		{"/first?days=2026-01-01,x", `{}`, "INVALID", "days", "invalid-parameter"},
		{"/first", `{"count":"x"}`, "INVALID", "count", "invalid-parameter"},
		{"/first", `{"note":"long"}`, "MISSING", "since", "invalid-parameter"},
		{"/first?since=x", `{"note":"long"}`, "MISSING", "name", "invalid-parameter"},
		{"/first?since=x", `{"name":"long"}`, "INVALID", "name", "invalid-parameter"},
		{"/several?since=x", `{"note":"long","name":"abc"}`, "INVALID", "note", "invalid-parameter"},
	} {
		w := f.ask("POST", c.path, c.body)
		answer := decodeObject(t, w)
		kind, _ := answer["type"].(string)
		want := http.StatusBadRequest
		if c.code == "" {
			want = http.StatusOK
		}
		if w.Code != want || c.code != "" && (answer["error_code"] != c.code || answer["param"] != c.param ||
			kind != baseURL+"/problems/"+c.slug) {
			t.Errorf("%s %s: got %d %s, want %d %s %s %s", c.path, c.body, w.Code, w.Body, want, c.code, c.param, c.slug)
		}
	}
	w := f.ask("POST", "/several", `{"note":"long"}`)
	var got []struct{ Param string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusBadRequest || len(got) != 3 ||
		got[0].Param != "since" || got[1].Param != "name" || got[2].Param != "note" {
		t.Errorf("got %d %s (%v), want 400 with errors of since, name and note", w.Code, w.Body, err)
	}
}

// TestUnchecked checks that the limits of an Unchecked operation's fields are not checked before the operation runs.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	own := route("POST", "/own", func(_ context.Context, in limited) (textResponse, error) {
		if in.Order == "up" {
			return textResponse{}, failure.Forbidden("request_not_allowed")
		}
		return textResponse{in.Name}, validate.Fields(in, time.Now()).Err()
	})
	own.Handle = own.Handle.Unchecked()
	f := newFixture(t, []rest.Route{own})
	for query, status := range map[string]int{"?order=up": 403, "?order=down": 400} {
		if w := f.ask("POST", "/own"+query, `{}`); w.Code != status {
			t.Errorf("%s: got %d %s, want %d", query, w.Code, w.Body, status)
		}
	}
}
