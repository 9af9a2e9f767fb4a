package optional_test

import (
	"encoding/json"
	"testing"

	"github.com/cashwrap/cashwrap/shared/optional"
)

func TestOf_AbsentNullAndValue(t *testing.T) {
	t.Parallel()
	type update struct {
		Name optional.Of[string] `json:"name,omitzero"`
	}
	for text, want := range map[string]struct {
		given, has bool
		or         string
	}{
		`{}`:            {or: "old"},
		`{"name":null}`: {given: true, or: "old"},
		`{"name":""}`:   {given: true, has: true},
		`{"name":"n"}`:  {given: true, has: true, or: "n"},
	} {
		var u update
		if err := json.Unmarshal([]byte(text), &u); err != nil {
			t.Fatal(err)
		}
		value, has := u.Name.Get()
		if u.Name.Given() != want.given || has != want.has || u.Name.Or("old") != want.or || (has && value != want.or) {
			t.Errorf("%s: got %+v, want %+v", text, u.Name, want)
		}
		if back, err := json.Marshal(u); err != nil || string(back) != text {
			t.Errorf("written again: got %s (%v), want %s", back, err, text)
		}
	}
	var u update
	if err := json.Unmarshal([]byte(`{"name":1}`), &u); err == nil {
		t.Errorf("a number for a text: got %+v, want an error", u.Name)
	}
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	if value, ok := optional.Some(7).Get(); value != 7 || !ok {
		t.Errorf("Some: got %d %t, want 7 true", value, ok)
	}
	if null := optional.Null[int](); !null.Given() || null.Pointer().(*int) != nil {
		t.Errorf("Null: got %+v, want given without a value", null)
	}
	if got := optional.Null[int]().Else(optional.Some(2)); got.Or(0) != 2 || optional.Some(1).Else(got).Or(0) != 1 {
		t.Errorf("Else: got %+v and %+v, want 2 and 1", got, optional.Some(1).Else(got))
	}
	var o optional.Of[int]
	seven := 7
	*o.Give().(**int) = &seven
	if value, ok := o.Get(); value != 7 || !ok || *o.Pointer().(*int) != 7 {
		t.Errorf("Give: got %+v, want 7", o)
	}
}
