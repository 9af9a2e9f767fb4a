package functions_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// terms are what a credential must have for an operation.
type terms struct {
	scopes []string // sorted
	access rest.Access
	action identity.Action
}

// TestRoutesAndDocumentListTheSameOperations, with the same scopes and access.
func TestRoutesAndDocumentListTheSameOperations(t *testing.T) {
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

// families are the files of functions that have more than one, or another name.
var families = map[string][]string{"oauth": {"oauth", "signin"}}

// TestEachFamilyDescribesItself in the file of its name, and nothing else: the
// paths are those of its routes.
func TestEachFamilyDescribesItself(t *testing.T) {
	t.Parallel()
	const folder = "../shared/contract/openapi/"
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
			t.Errorf("%s: got paths %q, want those of the routes, %q", f.Name, sortedKeys(described), sortedKeys(served))
		}
	}
	files, err := filepath.Glob(folder + "*.yaml")
	if err != nil || len(files) != parts+1 { // and common.yaml
		t.Errorf("got files %q, error %v; want %d", files, err, parts+1)
	}
}

// filesOf are the names of the function's files in the document.
func filesOf(f functions.Function) []string {
	if several, ok := families[f.Name]; ok {
		return several
	}
	return []string{f.Name}
}

// servedTerms are those of the routes of all functions, by method and path.
func servedTerms(t *testing.T) map[string]terms {
	t.Helper()
	opened, served := world.New(t).App, map[string]terms{}
	for _, f := range functions.All {
		for _, route := range routesOf(opened, f) {
			operation := route.Method + " " + route.Path
			if _, twice := served[operation]; twice {
				t.Errorf("got route %s again, in %s, want it once", operation, f.Name)
			}
			served[operation] = terms{slices.Sorted(slices.Values(route.Scopes)), route.Access, route.Action}
		}
	}
	return served
}

// routesOf are the function's routes; none of one without HTTP.
func routesOf(a *app.App, f functions.Function) []rest.Route {
	if f.HTTP == nil {
		return nil
	}
	return f.HTTP(a)
}

// documentedTerms are those of openapi.yaml.
func documentedTerms(t *testing.T) map[string]terms {
	t.Helper()
	all := map[string]terms{}
	for _, o := range documented(t) {
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

// TestEachFunctionHasItsProgram in the folder of its name, and each program
// is in the list.
func TestEachFunctionHasItsProgram(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Glob("*/bootstrap/main.go")
	if err != nil || len(programs) == 0 {
		t.Fatalf("got programs %q, error %v; want at least one", programs, err)
	}
	listed := map[string]bool{}
	for _, f := range functions.All {
		program := filepath.Join(f.Name, "bootstrap", "main.go")
		if listed[program] {
			t.Errorf("got %s twice in the list, want it once", f.Name)
		}
		listed[program] = true
		if _, err := os.Stat(program); err != nil {
			t.Errorf("%s: got error %v, want its program", f.Name, err)
		}
	}
	for _, program := range programs {
		if !listed[program] {
			t.Errorf("got program %s, want only those of functions of the list", program)
		}
	}
}

// TestEachFunctionIsCalledByOneThing, and has the time for it; a schedule may
// call what operators invoke, and files reads a queue besides.
func TestEachFunctionIsCalledByOneThing(t *testing.T) {
	t.Parallel()
	queues := map[string]int{}
	for _, f := range functions.All {
		callers := 0
		for _, set := range []bool{f.HTTP != nil, f.Queue != nil, f.Stream != nil, f.Tick != nil &&
			f.Tick.Handle != nil, f.Invoke != nil} {
			if set {
				callers++
			}
		}
		if f.Name == "files" && f.HTTP != nil && f.Queue != nil {
			callers--
		}
		if callers != 1 || f.Timeout <= 0 {
			t.Errorf("%s: got %d callers and timeout %s, want 1 and more than 0s", f.Name, callers, f.Timeout)
		}
		if f.Queue == nil {
			continue
		}
		queues[f.Queue.From.Name]++
		if f.Queue.From.Visibility < 6*f.Timeout { // AWS's advice for Lambda on SQS
			t.Errorf("%s: got messages seen again after %s, want %s or later, six times its timeout", f.Name,
				f.Queue.From.Visibility, 6*f.Timeout)
		}
	}
	for _, q := range functions.Queues {
		if queues[q.Name] != 1 {
			t.Errorf("queue %s: got %d functions that read it, want 1", q.Name, queues[q.Name])
		}
		delete(queues, q.Name)
	}
	if len(queues) > 0 {
		t.Errorf("got queues %v that are read and not listed, want none", slices.Collect(maps.Keys(queues)))
	}
}
