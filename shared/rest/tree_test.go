package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonicalNumber(t *testing.T) {
	t.Parallel()
	for _, class := range [][]string{
		{"10", "10.0", "1e1", "1E+1", "100e-1", "0.1e2"},
		{"0", "-0", "0.00", "0e5", "-0e-9"},
		{"-1.5", "-15e-1", "-0.15e1"},
		{"1.1000000000000000000000001"},
		{"1.1000000000000000000000002"},
		{"1e999999999999"},
		{"100"}, {"1"}, {"15"},
	} {
		for _, text := range class {
			if got := canonicalNumber(text); got != canonicalNumber(class[0]) {
				t.Errorf("%s: got %s, want %s as for %s", text, got, canonicalNumber(class[0]), class[0])
			}
		}
	}
	seen := map[string]string{}
	for _, text := range []string{"10", "0", "-1.5", "1.5", "1.1000000000000000000000001", "1.1000000000000000000000002",
		"100", "1", "1e999999999999"} {
		if other, ok := seen[canonicalNumber(text)]; ok {
			t.Errorf("got one form %s for %s and %s, want two", canonicalNumber(text), text, other)
		}
		seen[canonicalNumber(text)] = text
	}
}

func TestCanonicalJSON(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{
		{`{"b":[1.0,null,true],"a":{"y":"\u00e9","x":""}}`, ` { "a" : {"x":"","y":"é"}, "b":[ 1,null , true ] } `},
		{"", "{}"}, {" \r\n", "{ }"},
	} {
		a, b := canonicalJSON([]byte(same[0])), canonicalJSON([]byte(same[1]))
		if !bytes.Equal(a, b) {
			t.Errorf("got %s for %s, %s for %s; want one form", a, same[0], b, same[1])
		}
	}
}

// FuzzParseJSON compares the parser with encoding/json. The parser must accept no other texts, and must lose no part of
// a text.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[1,2,{"a":"\"\\\u00e9"}]`, `{"a":1,"a":2}`, ` {"a" : -1.5e+3 , "b":[[],{}] } `, `"\ud800"`,
		"\xff", `{"a":tru`, `1e999`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := parseJSON(body)
		if err != nil || n.kind == 0 {
			return
		}
		var want, got any
		if err := json.Unmarshal(body, &want); err != nil {
			var overflow *json.UnmarshalTypeError
			if errors.As(err, &overflow) {
				return // the text has a number beyond float64
			}
			t.Fatalf("got %q accepted, want it refused as by encoding/json: %v", body, err)
		}
		canonical := canonicalJSON(body)
		if err := json.Unmarshal(canonical, &got); err != nil || !cmp.Equal(got, want) {
			t.Fatalf("%q as %q: got %v (%v), want %v", body, canonical, got, err, want)
		}
		if _, err := parseJSON(canonical); err != nil || !bytes.Equal(canonicalJSON(canonical), canonical) {
			t.Fatalf("%q again: got %q (%v), want it unchanged", canonical, canonicalJSON(canonical), err)
		}
	})
}
