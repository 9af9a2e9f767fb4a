package contract_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// terms are an operation's requirements for a credential.
type terms struct {
	scopes []string // sorted
	access rest.Access
	action identity.Action
}

// TestOpenAPI_OperationsOfRoutes checks that the document has exactly the routes' operations, with the same scopes and
// access.
func TestOpenAPI_OperationsOfRoutes(t *testing.T) {
	t.Parallel()
	served, documented := servedTerms(t), documentedTerms(t)
	if len(served) == 0 {
		t.Fatalf("got no routes, want the %d that are documented", len(documented))
	}
	for operation, want := range documented {
		got, ok := served[operation]
		if !ok {
			t.Errorf("got no route %s, want it served, because it is documented", operation)
		} else if diff := cmp.Diff(want, got, cmp.AllowUnexported(got)); diff != "" {
			t.Errorf("%s: the routes differ from the document (-want +got):\n%s", operation, diff)
		}
	}
	for operation := range served {
		if _, ok := documented[operation]; !ok {
			t.Errorf("got route %s, want only those that are documented", operation)
		}
	}
}

// families lists a function's files in the document, if there are several or the file has another name than the
// function.
var families = map[string][]string{"oauth": {"oauth", "signin"}}

// TestOpenAPI_FileOfEachFamily checks that each family's file has exactly the paths of its routes.
func TestOpenAPI_FileOfEachFamily(t *testing.T) {
	t.Parallel()
	const folder = "../../../shared/contract/openapi/"
	opened, parts := world.New(t).App, 0
	for _, f := range functions.All {
		if f.HTTP == nil {
			continue
		}
		described, served := map[string]bool{}, map[string]bool{}
		for _, family := range filesOf(f) {
			text, err := os.ReadFile(folder + family + ".yaml")
			if err != nil {
				t.Errorf("%s: got error %v, want the family's file", family, err)
			}
			for _, found := range regexp.MustCompile(`(?m)^  (/\S*):$`).FindAllSubmatch(text, -1) {
				described[string(found[1])] = true
			}
			parts++
		}
		for _, route := range f.HTTP(opened) {
			served[route.Path] = true
		}
		if !maps.Equal(described, served) {
			t.Errorf("%s: got paths %q, want those of the routes, %q", f.Name,
				slices.Sorted(maps.Keys(described)), slices.Sorted(maps.Keys(served)))
		}
	}
	files, err := filepath.Glob(folder + "*.yaml")
	if err != nil || len(files) != parts+1 { // one more file is common.yaml
		t.Errorf("got files %q, error %v; want %d", files, err, parts+1)
	}
}

// filesOf returns the names of the function's files in the document.
func filesOf(f functions.Function) []string {
	if several, ok := families[f.Name]; ok {
		return several
	}
	return []string{f.Name}
}

// servedTerms returns the terms of all functions' routes by method and path.
func servedTerms(t *testing.T) map[string]terms {
	t.Helper()
	opened, served := world.New(t).App, map[string]terms{}
	for _, f := range functions.All {
		for _, route := range examples.Routes(opened, f) {
			operation := route.Method + " " + route.Path
			if _, twice := served[operation]; twice {
				t.Errorf("got route %s again, in %s, want it once", operation, f.Name)
			}
			served[operation] = terms{slices.Sorted(slices.Values(route.Scopes)), route.Access, route.Action}
		}
	}
	return served
}

// documentedTerms returns the terms in openapi.yaml by method and path.
func documentedTerms(t *testing.T) map[string]terms {
	t.Helper()
	all := map[string]terms{}
	for _, o := range examples.All(t) {
		access := rest.SecretOnly
		switch {
		case o.Public:
			access = rest.Open
		case o.PublicKey:
			access = rest.PublicToo
		}
		all[o.Method+" "+o.Path] = terms{slices.Sorted(slices.Values(o.Scopes)), access, identity.Action(o.Action)}
	}
	return all
}
