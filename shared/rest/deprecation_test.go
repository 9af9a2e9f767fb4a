package rest_test

import (
	"context"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func TestDeprecationHeaders(t *testing.T) {
	t.Parallel()
	const successor = "/v2/merchants/{merchant_code}/things"
	routes := []rest.Route{
		route("GET", "/old", respond("old")),
		route("POST", "/old", respond("made")),
		route("GET", "/refused", refuse(failure.Missing("id"))),
		route("GET", "/panic", func(context.Context, emptyRequest) (textResponse, error) { panic("broken") }),
		route("GET", "/fixed", respond("old")),
		route("GET", "/new", respond("new")),
		route("GET", "/old/{id}", respond("old")),
	}
	for i := range routes[:4] {
		routes[i].Successor = successor
	}
	routes[4].Successor, routes[6].Successor = "/new", "/new/{id}"
	f := newFixture(t, routes, func(c *rest.Config) { c.BaseURL = baseURL + "/" })
	const (
		deprecated = "@1793491200" // 2026-11-01T00:00:00Z
		mine       = "<" + baseURL + `/v2/merchants/MC0A1B2C3D/things>; rel="successor-version"`
		fixed      = "<" + baseURL + `/new>; rel="successor-version"`
	)
	for _, test := range []struct {
		method, path, header string
		status               int
		deprecation, link    string
	}{
		{"GET", "/old", "", 200, deprecated, mine},
		{"HEAD", "/old", "", 200, deprecated, mine},
		{"GET", "/refused", "", 400, deprecated, mine},
		{"GET", "/panic", "", 500, deprecated, mine},
		{"GET", "/old", "Authorization: Bearer " + f.other, 403, deprecated, mine},
		{"POST", "/old", "Idempotency-Key: k", 200, deprecated, mine},
		{"POST", "/old", "Idempotency-Key: k", 200, deprecated, mine}, // the replay
		{"GET", "/old", "Authorization:", 401, deprecated, ""},
		{"GET", "/old", "X-Forwarded-Proto: http", 403, deprecated, ""},
		{"GET", "/fixed", "", 200, deprecated, fixed},
		{"GET", "/fixed", "Authorization:", 401, deprecated, fixed},
		{"GET", "/old/%2F%3E", "", 200, deprecated, "<" + baseURL + `/new/%2F%3E>; rel="successor-version"`},
		{"GET", "/new", "", 200, "", ""},
		{"GET", "/nowhere", "", 404, "", ""},
	} {
		w := f.ask(test.method, test.path, "", test.header)
		h := w.Header()
		if w.Code != test.status || h.Get("Deprecation") != test.deprecation || h.Get("Link") != test.link {
			t.Errorf("%s %s %s: got %d, headers %v, want %d, Deprecation %q and Link %q", test.method, test.path,
				test.header, w.Code, h, test.status, test.deprecation, test.link)
		}
	}
}
