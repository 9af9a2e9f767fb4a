package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type accepted bool

func (a accepted) Accepted() bool { return bool(a) }

func give[Res any](r Res) func(context.Context, emptyRequest) (Res, error) {
	return func(context.Context, emptyRequest) (Res, error) { return r, nil }
}

// routes returns a route of every kind.
func routes() []rest.Route {
	return []rest.Route{
		{Method: "POST", Path: "/things", Scopes: []string{"things"}, Handle: rest.JSON(201, respond("made <&>"))},
		{Method: "GET", Path: "/things", Scopes: []string{"things", "else"},
			Handle: rest.JSON(200, give([]textResponse(nil)))},
		{Method: "GET", Path: "/things/{id}", Access: rest.PublicToo, Scopes: []string{"things"},
			Handle: rest.JSON(200, respond("one"))},
		{Method: "PUT", Path: "/things/{id}", Access: rest.PublicToo, Scopes: []string{"things"},
			Handle: rest.JSON(200, give(accepted(true)))},
		{Method: "PATCH", Path: "/things/{id}", Scopes: []string{"things"}, Handle: rest.JSON(200, give(accepted(false)))},
		{Method: "DELETE", Path: "/things/{id}", Scopes: []string{"things"}, Handle: rest.JSON(200, give(rest.NoContent{}))},
		{Method: "GET", Path: "/things/special", Handle: rest.JSON(200, respond("special"))},
		{Method: "GET", Path: "/merchants/{merchant_code}/things", Handle: rest.JSON(200, respond("mine"))},
		{Method: "POST", Path: "/nothing", Handle: rest.JSON(204, give(rest.NoContent{}))},
		{Method: "POST", Path: "/object", Handle: rest.JSON(201, give(struct{}{}))},
		{Method: "GET", Path: "/payouts", Handle: rest.JSON(200, listed)},
		{Method: "POST", Path: "/empty", Handle: rest.JSON(202, give(rest.Empty{}))},
		{Method: "GET", Path: "/open", Access: rest.Open, Handle: rest.JSON(200, respond("open"))},
		{Method: "GET", Path: "/pay/c-{id}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(page)},
		{Method: "GET", Path: "/who", Handle: rest.JSON(200, who)},
	}
}

type payer struct {
	ID string `path:"id"`
}

func page(_ context.Context, in payer) (rest.Document, error) {
	switch in.ID {
	case "gone":
		return rest.Document{}, failure.NotFound("No such <checkout>.").WithSlug("checkout-not-found")
	case "away":
		return rest.Document{Redirect: "https://shop.example.test/?checkout_id=1"}, nil
	case "text":
		return rest.Document{Status: 410, ContentType: "text/plain;charset=UTF-8", Body: []byte("text")}, nil
	default:
		return rest.Document{HTML: []byte("<p>" + in.ID), CSP: []string{"frame-ancestors *"}}, nil
	}
}

// listed answers JSON or, if the request asks for it, another media type.
func listed(_ context.Context, in struct {
	Format string `query:"format"`
}) (any, error) {
	switch in.Format {
	case "csv":
		return rest.Document{ContentType: "text/plain; charset=utf-8", Body: []byte("id,type\r\n")}, nil
	case "none":
		return []textResponse(nil), nil
	default:
		return []textResponse{{"one"}}, nil
	}
}

func who(ctx context.Context, _ emptyRequest) (textResponse, error) {
	return textResponse{fmt.Sprint(rest.Caller(ctx).Actor.ID, " ", rest.OperationID(ctx))}, nil
}

func TestServeHTTP_Success(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	const json = "application/json;charset=UTF-8"
	for _, test := range []struct {
		method, path string
		status       int
		contentType  string
		length       string
		body         string
	}{
		{"POST", "/things", 201, json, "19", `{"text":"made <&>"}`},
		{"GET", "/things", 200, json, "2", `[]`},
		{"GET", "/things/special", 200, json, "18", `{"text":"special"}`},
		{"GET", "/things/other", 200, json, "14", `{"text":"one"}`},
		{"HEAD", "/things/other", 200, json, "14", ``},
		{"PUT", "/things/1", 202, json, "4", `true`},
		{"PATCH", "/things/1", 200, json, "5", `false`},
		{"DELETE", "/things/1", 204, "", "", ``},
		{"POST", "/empty", 202, "", "0", ``},
		{"POST", "/nothing", 204, "", "", ``},
		{"POST", "/object", 201, json, "2", `{}`},
		{"GET", "/payouts", 200, json, "16", `[{"text":"one"}]`},
		{"GET", "/payouts?format=none", 200, json, "2", `[]`},
		{"GET", "/payouts?format=csv", 200, "text/plain; charset=utf-8", "9", "id,type\r\n"},
		{"GET", "/merchants/MC0A1B2C3D/things", 200, json, "15", `{"text":"mine"}`},
		{"GET", "/pay/c-7", 200, "text/html;charset=UTF-8", "4", `<p>7`},
		{"GET", "/pay/c-away", 303, "", "0", ``},
		{"GET", "/pay/c-text", 410, "text/plain;charset=UTF-8", "4", `text`},
	} {
		w := f.ask(test.method, test.path, "")
		h := w.Header()
		if w.Code != test.status || h.Get("Content-Type") != test.contentType || h.Get("Content-Length") != test.length ||
			w.Body.String() != test.body {
			t.Errorf("%s %s: got %d %v %s, want %d, Content-Type %q, Content-Length %q and %s", test.method, test.path,
				w.Code, h, w.Body, test.status, test.contentType, test.length, test.body)
		}
		if _, err := uuid.Parse(h.Get("X-Request-Id")); err != nil || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got headers %v, want a UUID as X-Request-Id, nosniff and no-store", test.method, test.path, h)
		}
	}
}

func TestServeHTTP_Refused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	before := f.wire.Calls("BatchGetItem")
	for _, test := range []struct {
		method, path, header string
		status               int
		slug                 string
	}{
		{"GET", "/nowhere", "", 404, "not-found"},
		{"GET", "/things/", "", 404, "not-found"},
		{"GET", "/pay/c-", "", 404, "not-found"},
		{"PATCH", "/things", "", 405, "method-not-allowed"},
		{"OPTIONS", "/things", "", 405, "method-not-allowed"},
		{"GET", "/things", "X-Forwarded-Proto:", 403, "https-required"},
		{"GET", "/things", "X-Forwarded-Proto: http", 403, "https-required"},
		{"GET", "/things", "X-Forwarded-Proto: https, http", 403, "https-required"},
		{"GET", "/things", "Authorization:", 401, "missing-token"},
		{"GET", "/things", "Authorization: Basic eDp5", 401, "invalid-token"},
		{"GET", "/things", "Authorization: Bearer " + f.secret[:len(f.secret)-1] + "!", 401, "invalid-token"},
		{"GET", "/things", "Authorization: Bearer", 401, "invalid-token"},
		{"POST", "/things", "Authorization: Bearer " + f.other, 403, "forbidden"},
		{"GET", "/things", "Authorization: Bearer " + f.public, 403, "forbidden"},
		{"GET", "/things/special", "Authorization: Bearer " + f.public, 403, "forbidden"},
		{"GET", "/merchants/MC2/things", "", 404, "not-found"},
		{"GET", "/merchants/mc1/things", "", 404, "not-found"},
	} {
		w := f.ask(test.method, test.path, "", test.header)
		if w.Code != test.status || decodeObject(t, w)["type"] != baseURL+"/problems/"+test.slug {
			t.Errorf("%s %s %s: got %d %s, want %d and the problem %s", test.method, test.path, test.header,
				w.Code, w.Body, test.status, test.slug)
		}
	}
	if reads := f.wire.Calls("BatchGetItem") - before; reads != 5 {
		t.Errorf("got %d reads, want 5: one for each well-formed token", reads)
	}
	for request, want := range map[[2]string]string{
		{"DELETE", "/things"}:       "GET, HEAD, POST",
		{"POST", "/things/special"}: "DELETE, GET, HEAD, OPTIONS, PATCH, PUT",
	} {
		if got := f.ask(request[0], request[1], "").Header().Get("Allow"); got != want {
			t.Errorf("%s %s: got Allow %q, want %q", request[0], request[1], got, want)
		}
	}
}

func TestAdmitCaller_AllowedCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	for _, test := range []struct{ method, path, token string }{
		{"GET", "/things/1", f.public}, {"PUT", "/things/1", f.public}, {"GET", "/things", f.other}, {"GET", "/who", f.other},
	} {
		if w := f.ask(test.method, test.path, "", "Authorization: bearer "+test.token); w.Code >= 300 {
			t.Errorf("%s %s: got %d %s, want a status below 300", test.method, test.path, w.Code, w.Body)
		}
	}
	w := f.ask("GET", "/who", "")
	parts := strings.Fields(decodeObject(t, w)["text"].(string))
	operation, err := uuid.Parse(parts[1])
	if parts[0] != "key_1" || err != nil || operation.Version() != 4 {
		t.Errorf("got the context %v, want key_1 and a random UUID", parts)
	}
}

func TestServeHTTP_PlainHTTP(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes(), func(c *rest.Config) { c.AllowHTTP = true })
	if w := f.ask("GET", "/things", "", "X-Forwarded-Proto:"); w.Code != 200 {
		t.Errorf("local run: got %d %s, want 200", w.Code, w.Body)
	}
}

// TestServeHTTP_StrictTransportSecurity checks that every reply over HTTPS has the header for two years, errors too. No
// reply over plain HTTP has it, because it would lock browsers out of the local run.
func TestServeHTTP_StrictTransportSecurity(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes(), func(c *rest.Config) { c.AllowHTTP = true })
	for header, want := range map[string]string{
		"X-Forwarded-Proto: https": "max-age=63072000", "X-Forwarded-Proto: https, https": "max-age=63072000",
		"X-Forwarded-Proto: https, http": "", "X-Forwarded-Proto: http": "", "X-Forwarded-Proto:": "",
	} {
		for path, status := range map[string]int{"/things": 200, "/nowhere": 404, "/open": 200, "/pay/c-1": 200} {
			w := f.ask("GET", path, "", header)
			if got := w.Header().Get("Strict-Transport-Security"); w.Code != status || got != want {
				t.Errorf("%s with %s: got %d and %q, want %d and %q", path, header, w.Code, got, status, want)
			}
		}
	}
	for _, header := range []string{"Authorization:", "Authorization: Bearer " + f.public} {
		if w := f.ask("GET", "/things", "", header); w.Code < 400 || w.Header().Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: got %d %v, want an error with the header", header, w.Code, w.Header())
		}
	}
}

func TestServeHTTP_CORS(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	w := f.ask("OPTIONS", "/things/1", "", "Authorization:", "Origin: https://shop.example.test")
	h := w.Header()
	if w.Code != 204 || h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Allow-Methods") != "GET, PUT" ||
		h.Get("Access-Control-Allow-Headers") != "Authorization, *" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: got %d %v, want 204, origin *, methods GET, PUT, headers Authorization, *, no credentials",
			w.Code, h)
	}
	for _, header := range []string{"", "Authorization:"} {
		if w := f.ask("GET", "/things/1", "", header); w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("public route: got %d %v, want Access-Control-Allow-Origin *", w.Code, w.Header())
		}
	}
	if w := f.ask("GET", "/things", ""); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("secret route: got headers %v, want no Access-Control-Allow-Origin", w.Header())
	}
	acting := route("POST", "/things", respond("made"))
	acting.Action = "sell"
	f.handler = f.newProcess([]rest.Route{acting, route("GET", "/things", respond("thing"))})
	h = f.ask("OPTIONS", "/things", "", "Authorization:").Header()
	if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("route with an action: got headers %v, want origin *, methods POST", h)
	}
}

func TestPage_SecurityHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	w := f.ask("GET", "/pay/c-7", "", "Authorization:")
	if got, want := w.Header().Get("Content-Security-Policy"), "frame-ancestors *; default-src 'none'; base-uri 'none'; "+
		"form-action 'self'"; got != want {
		t.Errorf("got policy %q, want %q", got, want)
	}
	if w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("got headers %v, want Referrer-Policy no-referrer", w.Header())
	}
	w = f.ask("GET", "/pay/c-away", "")
	if got, want := w.Header().Get("Location"), "https://shop.example.test/?checkout_id=1"; got != want {
		t.Errorf("redirect: got %q, want %q", got, want)
	}
	w = f.ask("GET", "/pay/c-gone", "")
	if w.Code != 404 || w.Header().Get("Content-Type") != "text/html;charset=UTF-8" ||
		!strings.Contains(w.Body.String(), "No such &lt;checkout&gt;.") ||
		!strings.Contains(w.Header().Get("Content-Security-Policy"), "style-src 'sha256-") {
		t.Errorf("error page: got %d %v %s, want 404 in HTML, with the escaped message and a style-src by hash",
			w.Code, w.Header(), w.Body)
	}
}

func TestServeHTTP_PanicOrTimeout(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{
		route("GET", "/panic", func(context.Context, emptyRequest) (textResponse, error) { panic("broken invariant") }),
		route("GET", "/fault", refuse(errors.New("secret internals"))),
		route("GET", "/late", refuse(fmt.Errorf("acquirer: %w", context.DeadlineExceeded))),
	})
	for _, path := range []string{"/panic", "/fault"} {
		w := f.ask("GET", path, "")
		if got := decodeObject(t, w); w.Code != 500 || got["error_code"] != "INTERNAL_ERROR" ||
			got["message"] != "An internal error occurred." ||
			strings.Contains(w.Body.String(), "invariant") || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: got %d %s, want 500 INTERNAL_ERROR without the cause", path, w.Code, w.Body)
		}
	}
	for _, want := range []string{"broken invariant", "server_test.go", `"cause":"secret internals"`} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("got log %s, want %q in it", f.log, want)
		}
	}
	if w := f.ask("GET", "/late", ""); w.Code != 504 || decodeObject(t, w)["type"] != baseURL+"/problems/gateway-timeout" {
		t.Errorf("late: got %d %s, want 504 and the problem gateway-timeout", w.Code, w.Body)
	}
}

func TestLogRequest_NoContent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("POST", "/things/{id}", echo)})
	f.ask("POST", "/things/path-value?checkout_reference=query-value&limit=query-text", `{"name":"body-value"}`)
	f.ask("POST", "/things/path-value", `{"count":"body-value"}`)
	f.ask("PATH-METHOD", "/things/path-value", ``)
	text := f.log.String()
	for _, secret := range []string{"path-value", "query-value", "query-text", "body-value", f.secret, "PATH-METHOD"} {
		if strings.Contains(text, secret) {
			t.Errorf("got log %s, want no %s in it", text, secret)
		}
	}
	var line map[string]any
	first, _, _ := strings.Cut(text, "\n")
	if err := json.Unmarshal([]byte(first), &line); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"msg": "request", "level": "INFO", "method": "POST",
		"route": "/things/{id}", "status": 400.0,
		"credential": "key_1", "tenant": "T#MC0A1B2C3D", "error_code": "INVALID", "problem": "invalid-parameter",
		"duration_ms": 0.0} {
		if line[name] != want {
			t.Errorf("%s: got %v, want %v", name, line[name], want)
		}
	}
}
