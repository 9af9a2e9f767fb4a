package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// failingRoutes returns one route per error format. All fail with err.
func failingRoutes(err error) []rest.Route {
	routes := []rest.Route{route("GET", "/hybrid", refuse(err)), route("GET", "/several", refuse(err)),
		route("GET", "/details", refuse(err)),
		route("GET", "/array", refuse(err)), route("GET", "/readers", refuse(err))}
	routes[1].Errors, routes[2].Errors, routes[3].Errors = rest.Several, rest.Details, rest.Array
	routes[4].Errors = rest.Readers
	return routes
}

func TestErrorFormat_Hybrid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err    error
		status int
		body   map[string]any
	}{
		"missing": {failure.Missing("amount"), 400, map[string]any{
			"type": "/problems/invalid-parameter", "title": "Invalid Parameter", "detail": "amount is required.",
			"error_code": "MISSING",
			"message":    "amount is required.", "param": "amount", "error_message": "amount is required."}},
		"method": {failure.Invalid("", "No.").WithSlug("unknown-payment-method"),
			400, map[string]any{
				"type": "/problems/unknown-payment-method", "title": "Unknown Payment Method", "detail": "No.",
				"error_code": "INVALID",
				"message":    "No.", "error_message": "No."}},
		"malformed": {failure.Malformed("Eh?"), 400, map[string]any{
			"type": "/problems/bad-request", "title": "Bad Request", "detail": "Eh?", "error_code": "INVALID_REQUEST",
			"message": "Eh?", "error_message": "Eh?"}},
		"revoked": {failure.Unauthorized("not-authorised-token"), 401, map[string]any{
			"type": "/problems/not-authorised-token", "title": "Unauthorized", "detail": "Unauthorized.",
			"error_code": "NOT_AUTHORIZED",
			"message":    "invalid access token", "error_message": "invalid access token"}},
		"refused": {failure.NotChargeable("Expired."), 402, map[string]any{
			"type": "/problems/instrument-not-chargeable", "title": "Instrument Not Chargeable", "detail": "Expired.",
			"error_code": "INSTRUMENT_NOT_CHARGEABLE", "message": "Expired."}},
		"denied": {failure.Forbidden("checkout_payments_not_allowed"), 403, map[string]any{
			"type": "/problems/forbidden", "title": "Forbidden", "detail": rest.Problems()["forbidden"].Description,
			"error_code": "FORBIDDEN",
			"message":    "checkout_payments_not_allowed", "error_message": "checkout_payments_not_allowed",
			"status_code": "403"}},
		"denied for a reason": {failure.Denied("The credential lacks the scope payments."), 403, map[string]any{
			"type": "/problems/forbidden", "title": "Forbidden", "detail": "The credential lacks the scope payments.",
			"error_code": "FORBIDDEN", "message": "request_not_allowed", "error_message": "request_not_allowed",
			"status_code": "403"}},
		"absent": {failure.NotFound("No.").WithSlug("checkout-not-found"), 404, map[string]any{
			"type": "/problems/checkout-not-found", "title": "Checkout Not Found", "detail": "No.",
			"error_code": "NOT_FOUND", "message": "No."}},
		"clash": {failure.Conflict("Twice.").WithCode("DUPLICATED_CHECKOUT"), 409, map[string]any{
			"type": "/problems/conflict", "title": "Conflict", "detail": "Twice.", "error_code": "DUPLICATED_CHECKOUT",
			"message": "Twice."}},
		"unprocessable": {&failure.Error{Kind: failure.KindUnprocessable, Message: "No."}, 422, map[string]any{
			"type": "/problems/unprocessable-entity", "title": "Unprocessable Entity", "detail": "No.", "message": "No."}},
		"new slug": {failure.Conflict("No.").WithCode("X").WithSlug("new-slug"), 409, map[string]any{
			"type": "/problems/new-slug", "title": "Conflict", "detail": "No.", "error_code": "X", "message": "No."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, failingRoutes(test.err))
			w := f.ask("GET", "/hybrid", "")
			id := w.Header().Get("X-Request-Id")
			test.body["type"] = baseURL + test.body["type"].(string)
			test.body["status"] = float64(test.status)
			test.body["instance"], test.body["trace_id"] = "urn:uuid:"+id, id
			if diff := cmp.Diff(test.body, decodeObject(t, w)); w.Code != test.status || diff != "" {
				t.Errorf("got status %d, want %d; -want +got:\n%s", w.Code, test.status, diff)
			}
		})
	}
}

func TestErrorReply_Headers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, failingRoutes(&failure.Error{Kind: failure.KindUpstream, Slug: "upstream-failed",
		RetryAfter: 1200 * time.Millisecond}))
	w := f.ask("GET", "/hybrid", "", "Accept: text/html, application/problem+json")
	if h := w.Header(); w.Code != 424 || h.Get("Retry-After") != "2" ||
		h.Get("Content-Type") != "application/problem+json;charset=UTF-8" {
		t.Errorf("got %d %v, want 424, Retry-After 2 and application/problem+json", w.Code, h)
	}
	w = f.ask("GET", "/hybrid", "", "Authorization:")
	if h, got := w.Header(), decodeObject(t, w); h.Get("WWW-Authenticate") != "Bearer" ||
		h.Get("Content-Type") != "application/json;charset=UTF-8" ||
		got["message"] != "access token required" || got["type"] != baseURL+"/problems/missing-token" {
		t.Errorf("got %v %v, want WWW-Authenticate Bearer, application/json and the problem missing-token", h, got)
	}
}

func TestErrorFormat_SeveralFaults(t *testing.T) {
	t.Parallel()
	faults := failure.List{failure.Missing("card.number"), failure.Invalid("installments", "must be 1 to 12")}
	f := newFixture(t, failingRoutes(errors.Join(faults)))

	w := f.ask("GET", "/several", "", "Accept: application/problem+json")
	want := `[{"message":"card.number is required.","error_code":"MISSING","param":"card.number"},` +
		`{"message":"installments must be 1 to 12.","error_code":"INVALID","param":"installments"}]`
	if w.Code != 400 || w.Body.String() != want || w.Header().Get("Content-Type") != "application/json;charset=UTF-8" {
		t.Errorf("several: got %d %v %s, want 400 in JSON: %s", w.Code, w.Header(), w.Body, want)
	}

	got := decodeObject(t, f.ask("GET", "/hybrid", ""))
	if got["type"] != baseURL+"/problems/multiple-invalid-parameters" || got["param"] != "card.number" ||
		got["error_code"] != "MISSING" {
		t.Errorf("hybrid: got %v, want multiple-invalid-parameters, MISSING card.number", got)
	}

	text, err := json.Marshal(decodeObject(t, f.ask("GET", "/details", ""))["failed_constraints"])
	want = `[{"message":"card.number is required.","reference":"card.number"},` +
		`{"message":"installments must be 1 to 12.","reference":"installments"}]`
	if err != nil || string(text) != want {
		t.Errorf("details: got %s (%v), want %s", text, err, want)
	}
}

func TestErrorFormat_OneFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t, failingRoutes(failure.List{failure.Missing("currency")}))
	if got := decodeObject(t, f.ask("GET", "/several", "")); got["param"] != "currency" {
		t.Errorf("several: got %v, want an error of currency", got)
	}
	got := decodeObject(t, f.ask("GET", "/details", ""))
	text, err := json.Marshal(got["failed_constraints"])
	want := `[{"message":"currency is required.","reference":"currency"}]`
	if err != nil || got["details"] != "currency is required." || string(text) != want {
		t.Errorf("details: got %v (%v), want currency is required. and failed_constraints %s", got, err, want)
	}
}

// TestErrorFormat_Array checks that a 400 in payouts' format is always an array, and any other error an object
// (contract §3.1, §6.7).
func TestErrorFormat_Array(t *testing.T) {
	t.Parallel()
	missing := `{"message":"start_date is required.","error_code":"MISSING","param":"start_date"}`
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"one":    {failure.Missing("start_date"), "[" + missing + "]"},
		"listed": {failure.List{failure.Missing("start_date")}, "[" + missing + "]"},
		"several": {failure.List{failure.Missing("start_date"), failure.Missing("start_date")},
			"[" + missing + "," + missing + "]"},
		"no param": {failure.Invalid("", "Give one identifier."),
			`[{"message":"Give one identifier.","error_code":"INVALID"}]`},
		"malformed": {failure.Malformed("Eh?"), `[{"message":"Eh?","error_code":"INVALID_REQUEST"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, failingRoutes(test.err))
			w := f.ask("GET", "/array", "", "Accept: application/problem+json")
			if w.Code != 400 || w.Body.String() != test.want ||
				w.Header().Get("Content-Type") != "application/json;charset=UTF-8" {
				t.Errorf("got %d %v %s, want 400 in JSON: %s", w.Code, w.Header(), w.Body, test.want)
			}
		})
	}
	f := newFixture(t, failingRoutes(errors.New("broken")))
	if got := decodeObject(t, f.ask("GET", "/array", "")); got["status"] != 500.0 ||
		got["error_code"] != "INTERNAL_ERROR" {
		t.Errorf("a fault: got %v, want 500 INTERNAL_ERROR", got)
	}
	if got := decodeObject(t, f.ask("GET", "/array", "", "Authorization:")); got["status"] != 401.0 {
		t.Errorf("without a key: got %v, want 401", got)
	}
}

// TestErrorFormat_ErrorsMember checks that the 422 of refund v1.0 has the refund's bounds (contract §13.4).
func TestErrorFormat_ErrorsMember(t *testing.T) {
	t.Parallel()
	type reason struct {
		Code string `json:"code"`
		Max  int64  `json:"max_refundable_amount"`
	}
	f := newFixture(t, failingRoutes(&failure.Error{Kind: failure.KindUnprocessable, Slug: "validation-error",
		Message: "No.", Errors: []reason{{"INVALID_AMOUNT", 1010}}}))
	w := f.ask("GET", "/hybrid", "")
	got := decodeObject(t, w)
	text, err := json.Marshal(got["errors"])
	want := `[{"code":"INVALID_AMOUNT","max_refundable_amount":1010}]`
	if err != nil || w.Code != 422 || string(text) != want ||
		got["type"] != baseURL+"/problems/validation-error" || got["detail"] != "No." {
		t.Errorf("got %d %s (%v), want 422 validation-error, No., with errors %s", w.Code, w.Body, err, want)
	}

	f = newFixture(t, failingRoutes(&failure.Error{Kind: failure.KindUnprocessable, Errors: make(chan int)}))
	if w := f.ask("GET", "/hybrid", ""); w.Code != 500 || decodeObject(t, w)["error_code"] != "INTERNAL_ERROR" {
		t.Errorf("what JSON cannot hold: got %d %s, want 500 INTERNAL_ERROR", w.Code, w.Body)
	}
}

func TestErrorFormat_Readers(t *testing.T) {
	t.Parallel()
	busy := failure.Unprocessable("The reader is busy.").WithCode("READER_BUSY")
	for name, test := range map[string]struct {
		err  error
		want any
	}{
		"of the operation": {busy, map[string]any{"detail": "The reader is busy.", "type": "READER_BUSY"}},
		"of another":       {failure.NotFound("No."), map[string]any{"detail": "No."}},
		"with a code that is no type": {failure.Unprocessable("No.").WithCode("IDEMPOTENCY_KEY_REUSED"),
			map[string]any{"detail": "No."}},
		"unauthorized": {failure.Unauthorized("invalid-token"),
			map[string]any{"detail": "invalid access token", "type": "INVALID_ACCESS_TOKEN"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decodeObject(t, newFixture(t, failingRoutes(test.err)).ask("GET", "/readers", ""))
			if diff := cmp.Diff(test.want, got["errors"]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for slug, p := range rest.Problems() {
		if p.Slug != slug || p.Title == "" || p.Description == "" || p.Status < 400 || p.Status > 504 {
			t.Errorf("%s: got %+v, want its slug, a title, a description and a status of 400 to 504", slug, p)
		}
	}
}

// TestErrorFormat_Listed checks that only clients that take problems get all faults, in the member errors (contract
// §3.1).
func TestErrorFormat_Listed(t *testing.T) {
	t.Parallel()
	type request struct {
		Name string `json:"name" validate:"required"`
		Note string `json:"note" validate:"text=3"`
	}
	accept := func(context.Context, request) (rest.Empty, error) { return rest.Empty{}, nil }
	listed := route("POST", "/listed", accept)
	listed.Errors = rest.Listed
	f := newFixture(t, []rest.Route{listed, route("POST", "/hybrid", accept)})
	const problems = "Accept: application/problem+json, application/json"

	got := decodeObject(t, f.ask("POST", "/listed", `{"note":"long"}`, problems))
	want := []any{map[string]any{"message": "name is required.", "error_code": "MISSING", "param": "name"},
		map[string]any{"message": "note must have at most 3 characters.", "error_code": "INVALID", "param": "note"}}
	diff := cmp.Diff(want, got["errors"])
	if diff != "" || got["type"] != baseURL+"/problems/multiple-invalid-parameters" {
		t.Errorf("got %v; errors (-want +got):\n%s", got, diff)
	}
	for _, one := range []struct{ path, body, header string }{{"/listed", `{"note":"long"}`, "Accept: application/json"},
		{"/listed", `{"note":"abc"}`, problems}, {"/hybrid", `{"note":"long"}`, problems}} {
		got = decodeObject(t, f.ask("POST", one.path, one.body, one.header))
		if got["errors"] != nil || got["param"] != "name" || got["type"] != baseURL+"/problems/invalid-parameter" {
			t.Errorf("%v: got %v, want one fault and no errors", one, got)
		}
	}
}
