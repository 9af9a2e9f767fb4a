package docs_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// anything is the mark in a guide for output that differs from run to run. In JSON the mark stands for a value or for a
// part of a text. At the end of an array it stands for any further elements.
const anything = "…"

// differs describes the difference between the output and the guide; "" if there is none.
func differs(kind, want, got string) string {
	if kind == "text" {
		return cmp.Diff(linesOf(want), align(linesOf(want), linesOf(got)))
	}
	wanted, err := parseJSON(want)
	if err != nil {
		return "the guide's is not JSON: " + err.Error()
	}
	printed, err := parseJSON(got)
	if err != nil {
		return "not JSON: " + err.Error()
	}
	return cmp.Diff(wanted, align(wanted, printed))
}

func linesOf(text string) any {
	var lines []any
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}

// parseJSON parses JSON and keeps the spelling of numbers, so that 10.10 differs from 10.1.
func parseJSON(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// align prepares the output for the comparison with want, the guide's text. It replaces matching parts by the guide's
// words, and removes members that the guide leaves out. So the result equals want exactly if the output matches.
func align(want, got any) any {
	if want == anything {
		return want
	}
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return alignMembers(want, got)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return alignElements(want, got)
		}
	case string:
		if got, ok := got.(string); ok && matches(want, got) {
			return want
		}
	}
	return got
}

func alignMembers(want, got map[string]any) any {
	members := map[string]any{}
	for name, w := range want {
		if g, ok := got[name]; ok {
			members[name] = align(w, g)
		}
	}
	return members
}

func alignElements(want, got []any) any {
	elements := []any{}
	for i, g := range got {
		switch {
		case i >= len(want)-1 && len(want) > 0 && want[len(want)-1] == anything:
			return append(elements, anything)
		case i < len(want):
			g = align(want[i], g)
		}
		elements = append(elements, g)
	}
	return elements
}

func matches(want, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), anything, ".*")
	return regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(got)
}

// TestDiffers checks the comparison, because a test of guides that accepts everything would prove nothing.
func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, want, got string
		same            bool
	}{
		{"json", `{"a":1}`, `{"a":1,"b":2}`, true},
		{"json", `{"a":1,"b":2}`, `{"a":1}`, false},
		{"json", `{"a":10.10}`, `{"a":10.1}`, false},
		{"json", `{"a":{"b":"…"}}`, `{"a":{"b":[1]}}`, true},
		{"json", `{"a":{"b":"…"}}`, `{"a":{}}`, false},
		{"json", `{"a":"x…z"}`, `{"a":"xyz"}`, true},
		{"json", `{"a":"x…z"}`, `{"a":"xy"}`, false},
		{"json", `[1]`, `[1,2]`, false},
		{"json", `[1,2]`, `[1]`, false},
		{"json", `[1,"…"]`, `[1,2,3]`, true},
		{"json", `[1,"…"]`, `[2,2,3]`, false},
		{"json", `[]`, `[1]`, false},
		{"json", `{}`, `[]`, false},
		{"json", `{}`, `oops`, false},
		{"text", "verified …\n204", "verified 7\n204\n", true},
		{"text", "verified …", "refused 7\n", false},
		{"text", "400", "400\n400\n", false},
		{"text", "400", "", false},
	} {
		if diff := differs(c.kind, c.want, c.got); (diff == "") != c.same {
			t.Errorf("%s %s: got difference %q, want that it shows %s is %t", c.kind, c.got, diff, c.want, c.same)
		}
	}
}

// TestParseGuide checks the line numbers of blocks, by which failures are found. It also checks that no block is left
// out.
func TestParseGuide(t *testing.T) {
	t.Parallel()
	text := "# T\n\n## Go\n```go file=a.go\npackage a\n```\n## Python\n```sh\nfalse\n```\n" +
		"## End\n```sh\ntrue\n```\n```text\n```"
	g, err := parseGuide("t.md", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Go", "Python"}, g.ways()); diff != "" {
		t.Errorf("ways (-want +got):\n%s", diff)
	}
	lines := strings.Split(g.way("Go").script(), "\n")
	want := []string{"", "", "cat >a.go <<'END OF FILE'", "package a", "END OF FILE", "", "", "", "", "",
		`exec >"$PRINTED/12"`, "true", "", ""}
	if diff := cmp.Diff(want, lines[1:]); diff != "" {
		t.Errorf("script after its first line (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{"```sh\n", "```\n```", "```json\n{}\n```", "```go\n```",
		"```console\n```\n```text\n```"} {
		if _, err := parseGuide("t.md", wrong); err == nil {
			t.Errorf("%s: got no error, want one", fmt.Sprintf("%q", wrong))
		}
	}
}
