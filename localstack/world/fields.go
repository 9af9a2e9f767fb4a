package world

import (
	"encoding/json"
	"testing"
)

// Fields are a JSON object's fields by name, each as it was sent.
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

// Holds checks fields of a JSON object, each as it was sent; "" means that there is
// none of the name.
func Holds(t testing.TB, object []byte, want map[string]string) {
	t.Helper()
	got := Fields(t, object)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
}

// Into is what a response holds, which must have the status.
func Into[T any](t testing.TB, status int, got Response) (v T) {
	t.Helper()
	if got.Status != status || got.Into(&v) != nil {
		t.Fatalf("got %d %s, want %d and an object", got.Status, got.Body, status)
	}
	return v
}
