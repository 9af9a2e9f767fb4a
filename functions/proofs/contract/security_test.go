package contract_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// callers lists all kinds of callers.
var callers = []identity.Kind{identity.SecretKey, identity.PublicKey, identity.User, identity.Operator, identity.Client,
	identity.TestProfile, identity.MerchantToken}

// TestOpenAPI_CallersOfRoutes checks that the families' files list each operation's callers as its route does. `make
// golden` writes the callers into these files. openapi.yaml is the bundle of the files.
func TestOpenAPI_CallersOfRoutes(t *testing.T) {
	t.Parallel()
	opened, routes := world.New(t).App, map[string]rest.Route{}
	for _, f := range functions.All {
		for _, route := range examples.Routes(opened, f) {
			routes[route.Path+" "+strings.ToLower(route.Method)] = route
		}
	}
	files, err := filepath.Glob("../../../shared/contract/openapi/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, withSecurity(string(text), routes))
	}
}

var (
	pathLine     = regexp.MustCompile(`^  (/\S*):$`)
	methodLine   = regexp.MustCompile(`^    (get|put|post|delete|patch):$`)
	securityLine = regexp.MustCompile(
		`^      (security|x-scopes|x-public-key|x-action|x-permission|x-partial-without|x-callers):`)
)

// withSecurity returns a family's file with the lines on callers replaced. The new lines follow each operationId.
func withSecurity(text string, routes map[string]rest.Route) string {
	var out strings.Builder
	path, operation, within := "", "", false
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		if at := pathLine.FindStringSubmatch(bare); at != nil {
			path = at[1]
		}
		if at := methodLine.FindStringSubmatch(bare); at != nil {
			operation = path + " " + at[1]
		}
		if within = securityLine.MatchString(bare) || within && strings.HasPrefix(bare, "       "); within {
			continue
		}
		out.WriteString(line)
		if route, known := routes[operation]; known && strings.HasPrefix(bare, "      operationId:") {
			out.WriteString(securityLines(route))
		}
	}
	return out.String()
}

// securityLines returns the lines of the document on an operation's callers.
func securityLines(r rest.Route) string {
	list := func(name string, values []string) string {
		return "      " + name + ": [" + strings.Join(values, ", ") + "]\n"
	}
	text := list("x-scopes", r.Scopes)
	if r.Permission != "" {
		text += "      x-permission: " + string(r.Permission) + "\n"
	}
	if len(r.Partial) > 0 {
		text += list("x-partial-without", texts(r.Partial))
	}
	taken := slices.DeleteFunc(slices.Clone(callers), func(k identity.Kind) bool { return !r.Takes(k) })
	text += list("x-callers", texts(taken))
	if r.Access == rest.PublicToo {
		text += "      x-public-key: true\n"
	}
	if r.Action != "" {
		text += "      x-action: " + string(r.Action) + "\n"
	}
	if r.Access == rest.Open {
		return text + "      security: []\n"
	}
	text += "      security:\n        - { secretKey: [] }\n"
	if r.Access == rest.PublicToo {
		text += "        - { publicKey: [] }\n"
	}
	if r.Action != "" {
		text += "        - { merchantToken: [] }\n"
	}
	for _, scope := range r.Scopes {
		text += "        - { oauth2: [\"" + scope + "\"] }\n"
	}
	if len(r.Scopes) == 0 {
		text += "        - { oauth2: [] }\n"
	}
	return text
}

func texts[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}

// TestOpenAPI_Scopes checks that the document lists exactly our scopes for OAuth clients.
func TestOpenAPI_Scopes(t *testing.T) {
	t.Parallel()
	document, err := checker.Load()
	if err != nil {
		t.Fatal(err)
	}
	flows := document.Components.SecuritySchemes["oauth2"].Value.Flows
	want := slices.Sorted(slices.Values(identity.AllScopes()))
	for _, flow := range []*openapi3.OAuthFlow{flows.AuthorizationCode, flows.ClientCredentials} {
		if got := slices.Sorted(maps.Keys(flow.Scopes)); !slices.Equal(got, want) {
			t.Errorf("got scopes %q, want %q", got, want)
		}
	}
}

// TestGuards_OfRoutes checks that identity.Guards has exactly the routes' permissions, each with the scopes of its
// route. A route may require a permission for every call, or only to show everything.
func TestGuards_OfRoutes(t *testing.T) {
	t.Parallel()
	opened, want := world.New(t).App, map[string]bool{}
	for _, f := range functions.All {
		for _, route := range examples.Routes(opened, f) {
			for _, permission := range append([]identity.Permission{route.Permission}, route.Partial...) {
				if permission != "" {
					want[guardText(identity.Guard{Permission: permission, Scopes: route.Scopes})] = true
				}
			}
		}
	}
	got := map[string]bool{}
	for _, g := range identity.Guards {
		got[guardText(g)] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("identity.Guards:\n got %q\nwant %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func guardText(g identity.Guard) string {
	return string(g.Permission) + " " + strings.Join(slices.Sorted(slices.Values(g.Scopes)), ",")
}
