package world

import (
	"encoding/json"
	"testing"
)

// Members are an object's members by name, each as it was sent.
func Members(t testing.TB, object []byte) map[string]string {
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

// Holds checks members of an object, each as it was sent; "" means there is
// none of the name.
func Holds(t testing.TB, object []byte, want map[string]string) {
	t.Helper()
	got := Members(t, object)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
}
