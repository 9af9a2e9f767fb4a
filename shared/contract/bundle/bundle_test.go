package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestBundle_UpToDate checks that openapi.yaml is up to date.
func TestBundle_UpToDate(t *testing.T) {
	t.Parallel()
	want, err := bundle(os.DirFS("../openapi"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../openapi.yaml"); err != nil || string(got) != want {
		t.Errorf("openapi.yaml (%v), which `make golden` writes from its parts (-want +got):\n%s", err,
			cmp.Diff(want, string(got)))
	}
}

const (
	head = "# Head.\nopenapi: 3.0.3\n\ninfo:\n  title: T\n\nservers:\n  - url: /\n\nsecurity:\n  - key: []\n"
	ours = "tags:\n  - name: Cats\n\npaths:\n  /cats:\n    get:\n      description: |\n        Cats.\n\n        # no " +
		"comment\n" +
		"\ncomponents:\n  schemas:\n    # Furry.\n    Cat: { type: string }\n"
)

func TestBundle_Parts(t *testing.T) {
	t.Parallel()
	got, err := bundle(fstest.MapFS{
		"cats.yaml": {Data: []byte(ours)},
		"common.yaml": {Data: []byte(head + "\ncomponents:\n  headers:\n    H: {}\n  schemas:\n    Id:\n      type: " +
			"string\n")},
		"ants.yaml": {Data: []byte("tags:\n  - name: Ants\npaths:\n  /ants:\n    get: { $ref: '#/components/schemas/Id' " +
			"}\n")},
	})
	want := `# Head.
openapi: 3.0.3

info:
  title: T

servers:
  - url: /

tags:
  - name: Ants
  - name: Cats

security:
  - key: []

paths:
  # ants.yaml
  /ants:
    get: { $ref: '#/components/schemas/Id' }

  # cats.yaml
  /cats:
    get:
      description: |
        Cats.

        # no comment

components:
  headers:
    # common.yaml
    H: {}

  schemas:
    # common.yaml
    Id:
      type: string

    # cats.yaml
    # Furry.
    Cat: { type: string }
`
	if err != nil || got != want {
		t.Errorf("got (%v)\n%s\nwant\n%s", err, got, want)
	}
}

func TestBundle_InvalidPart(t *testing.T) {
	t.Parallel()
	for want, part := range map[string]string{
		`dogs.yaml: only common.yaml may have the section "info"`:   "info:\n  title: Dogs\n",
		`dogs.yaml: there is no section "x-dogs"`:                   "x-dogs: 1\n",
		`dogs.yaml: there are no components "dogs"`:                 "components:\n  dogs:\n    A: {}\n",
		`dogs.yaml: cats.yaml has paths//cats already`:              "paths:\n  /cats: {}\n",
		`dogs.yaml: cats.yaml has components/schemas/Cat already`:   "components:\n  schemas:\n    Cat: {}\n",
		`dogs.yaml: cats.yaml has tags/- name: Cats already`:        "tags:\n  - name: Cats\n",
		`dogs.yaml refers to components/schemas/Cat of "cats.yaml"`: "paths:\n  /a: { $ref: \"#/components/schemas/Cat\" }\n",
		`dogs.yaml refers to components/schemas/Ant of ""`:          "paths:\n  /a: { $ref: \"#/components/schemas/Ant\" }\n",
	} {
		_, err := bundle(fstest.MapFS{"common.yaml": {Data: []byte(head)}, "cats.yaml": {Data: []byte(ours)},
			"dogs.yaml": {Data: []byte(part)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %s", err, want)
		}
	}
}
