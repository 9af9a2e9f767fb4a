package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "github.com/oasdiff/yaml3"
)

// cats is a document about cats.
const cats = `servers: [{ url: "http://localhost:8080" }]
paths:
  /cats/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { example: "a b" } }
    get:
      x-in-sample: [of, Paw]
      parameters:
        - { name: fur, in: query, example: none }
        - { name: of, in: query, example: MC0A1B2C3D }
        - { name: tail, in: query, required: true, example: "1&2" }
        - { name: Accept, in: header, required: true, example: x }
        - { name: Paw, in: header, example: "left, right" }
      responses:
        "200": { content: { application/json: {} } }
    put:
      requestBody: { $ref: "#/components/requestBodies/Cat" }
      responses:
        "200": { content: { application/json: {} } }
    delete:
      responses:
        "204": {}
  /cats:
    post:
      security: []
      requestBody:
        content:
          application/x-www-form-urlencoded:
            examples:
              one: { value: { name: "it's", of: MC0A1B2C3D } }
      responses:
        "200": { content: { text/html;charset=UTF-8: {} } }
components:
  requestBodies:
    Cat:
      content:
        application/json:
          examples:
            one:
              value: { of: MC0A1B2C3D, name: "it's <b>", lives: 9, kg: 4.10, wild: false, kittens: [{ a: null }, {}] }
            two: { value: {} }
`

func TestAddSamples(t *testing.T) {
	t.Parallel()
	text, err := addSamples(cats)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`curl "http://localhost:8080/cats/a%20b?of=$MERCHANT_CODE&tail=1%262" \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Paw: left, right'`,
		`curl -X PUT http://localhost:8080/cats/a%20b \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "of": "'$MERCHANT_CODE'",
    "name": "it'\''s <b>",
    "lives": 9,
    "kg": 4.10,
    "wild": false,
    "kittens": [
      {
        "a": null
      },
      {}
    ]
  }'`,
		`curl -X DELETE http://localhost:8080/cats/a%20b \
  -H "Authorization: Bearer $API_KEY"`,
		`curl http://localhost:8080/cats \
  -H 'Accept: text/html' \
  --data-urlencode 'name=it'\''s' \
  --data-urlencode 'of='$MERCHANT_CODE`,
	}
	var got []string
	for _, s := range parseSamples(t, text) {
		got = append(got, s.text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if without := cutSamples(text); without != cats {
		t.Errorf("the document without its samples (-want +got):\n%s", cmp.Diff(cats, without))
	}
}

// cutSamples returns the document without its samples.
func cutSamples(text string) string {
	var lines []string
	within := false
	for line := range strings.Lines(text) {
		within = strings.HasPrefix(line, "      x-codeSamples:") || within && strings.HasPrefix(line, "        ")
		if !within {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestAddSamples_MissingExample(t *testing.T) {
	t.Parallel()
	const examples = "          examples:\n            one:\n"
	for want, change := range map[string][2]string{
		"get /cats/{id}: the parameter id has no example of one value": {`example: "a b"`, `example: [a, b]`},
		"put /cats/{id}: the body has no example":                      {examples, "          others:\n            one:\n"},
		"yaml: ": {"paths:", "paths: {"},
	} {
		_, err := addSamples(strings.Replace(cats, change[0], change[1], 1))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// operationSample is an operation's sample in a document.
type operationSample struct{ method, path, text string }

func parseSamples(t *testing.T, text string) (all []operationSample) {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	document := yamlNode{root.Content[0], &root}
	for path, item := range document.at("paths").members() {
		for method, operation := range item.members() {
			if method == "parameters" {
				continue
			}
			for _, sample := range operation.at("x-codeSamples").items() {
				all = append(all, operationSample{strings.ToUpper(method), path, sample.at("source").text()})
			}
		}
	}
	return all
}

// TestAddSamples_InShell runs the samples of openapi.yaml in a shell. Each operation must have a sample that calls the
// operation's address. A JSON body must be valid.
func TestAddSamples_InShell(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	samples := parseSamples(t, string(text))
	if want := strings.Count(string(text), "\n      operationId: "); len(samples) != want || want < 100 {
		t.Errorf("got %d samples, want one for each of %d operations", len(samples), want)
	}
	for _, s := range samples {
		words := runShell(t, s.text)
		method, implied := "GET", slices.ContainsFunc(words, func(w string) bool {
			return w == "-d" || w == "--data-urlencode"
		})
		if implied {
			method = "POST"
		}
		if words[0] == "-X" {
			method, words = words[1], words[2:]
		}
		path, ok := strings.CutPrefix(words[0], "http://localhost:8080")
		path, _, _ = strings.Cut(path, "?")
		if !ok || method != s.method || !matchesPattern(s.path, path) {
			t.Errorf("%s %s: got %s %s, want that operation", s.method, s.path, method, words[0])
		}
		if at := slices.Index(words, "-d"); at >= 0 && !json.Valid([]byte(words[at+1])) {
			t.Errorf("%s %s: got body %s, want JSON", s.method, s.path, words[at+1])
		}
	}
}

// runShell runs the sample in a shell and returns the words that the shell passes to curl.
func runShell(t *testing.T, sample string) []string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-euc", `curl() { printf '%s\0' "$@"; }
API_KEY=sk_test_x MERCHANT_CODE=MC0A1B2C3D
`+sample)
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: got error %v, want a command line", sample, err)
	}
	words := strings.Split(string(out), "\x00")
	return words[:len(words)-1]
}

// matchesPattern returns true if a path matches a pattern, and no parameter in it is empty.
func matchesPattern(pattern, path string) bool {
	patterns, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(patterns) != len(segments) {
		return false
	}
	for i, p := range patterns {
		before, _, parameter := strings.Cut(p, "{")
		rest, ok := strings.CutPrefix(segments[i], before)
		if !ok || parameter == (rest == "") {
			return false
		}
	}
	return true
}
