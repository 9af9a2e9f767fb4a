package world

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// Refusal is the answer to a refused request: the status, error_code, param, and the last part of the problem type
// (contract §3).
type Refusal struct {
	status            int
	code, param, slug string
}

// Refused returns a refusal. param is "" if no single field caused the refusal.
func Refused(status int, code, param, slug string) Refusal { return Refusal{status, code, param, slug} }

// Missing returns the refusal of a request that lacks a field.
func Missing(param string) Refusal {
	return Refusal{http.StatusBadRequest, "MISSING", param, "invalid-parameter"}
}

// Invalid returns the refusal of a request with an invalid value in a field.
func Invalid(param string) Refusal {
	return Refusal{http.StatusBadRequest, "INVALID", param, "invalid-parameter"}
}

// Check compares a response with the refusal. The fields error_message and message of a response with status
// 400 must be equal and not empty, because clients read only one of these fields (contract §3.2).
func (want Refusal) Check(t testing.TB, got Response) {
	t.Helper()
	kind := got.Text("type")
	refusal := Refusal{got.Status, got.Text("error_code"), got.Text("param"), kind[strings.LastIndex(kind, "/")+1:]}
	if refusal != want {
		t.Errorf("got %+v, want %+v\n%s", refusal, want, got.Body)
	}
	if want.status == http.StatusBadRequest && (got.Text("error_message") == "" ||
		got.Text("error_message") != got.Text("message")) {
		t.Errorf("got error_message %q and message %q, want one text in both", got.Text("error_message"),
			got.Text("message"))
	}
	if want.slug == "forbidden" && got.Text("detail") == rest.Problems()["forbidden"].Description {
		t.Errorf("got %s, want a detail that says what is missing", got.Body)
	}
}

// Fields returns the fields of a JSON object by name. Each value is the JSON text that was sent.
func Fields(t testing.TB, object []byte) map[string]string {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(object, &raw); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	texts := map[string]string{}
	for name, value := range raw {
		texts[name] = string(value)
	}
	return texts
}

// Holds checks that a JSON object has the wanted fields. Each wanted value is the JSON text that was sent. "" means
// that the object lacks the field.
func Holds(t testing.TB, object []byte, want map[string]string) {
	t.Helper()
	got := Fields(t, object)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
}

// Into decodes a response. It ends the test if the response does not have the status.
func Into[T any](t testing.TB, status int, got Response) (v T) {
	t.Helper()
	if got.Status != status || got.Into(&v) != nil {
		t.Fatalf("got %d %s, want %d and an object", got.Status, got.Body, status)
	}
	return v
}
