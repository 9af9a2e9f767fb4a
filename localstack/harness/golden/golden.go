// Package golden compares files with the results of tests. With the flag -update it rewrites the files instead. Call
// Check.
package golden

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Update makes tests write the golden files instead of comparing them. `make golden` sets it.
var Update = flag.Bool("update", false, "write the golden files")

// Check compares a file with the wanted text. With the flag -update it writes the text to the file instead.
func Check(t *testing.T, file, want string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	written, err := os.ReadFile(file)
	if err != nil || string(written) != want {
		t.Errorf("%s is out of date (%v): run `make golden`, and review the difference, which begins with\n%s", file, err,
			difference(string(written), want))
	}
}

func difference(old, new string) string {
	was, is := strings.Split(old, "\n"), strings.Split(new, "\n")
	n := 0
	for n < min(len(was), len(is))-1 && was[n] == is[n] {
		n++
	}
	return fmt.Sprintf("line %d: got\n%s\nwant\n%s", n+1, was[n], is[n])
}

// JSON returns a value as indented JSON.
func JSON(t *testing.T, v any) string {
	t.Helper()
	var text strings.Builder
	to := json.NewEncoder(&text)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
