package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func family(name string, routes ...rest.Route) functions.Function {
	return functions.Function{Name: name, HTTP: func(*app.App) []rest.Route { return routes }}
}

func TestFind_MostSpecific(t *testing.T) {
	t.Parallel()
	routes, err := NewRoutes([]functions.Function{
		family("things", rest.Route{Path: "/things/{id}"}, rest.Route{Path: "/things/{id}/parts"}),
		family("public", rest.Route{Path: "/things/special"}, rest.Route{Path: "/"}),
		family("others", rest.Route{Path: "/{any}/x/parts"}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Match{}
	want := map[string]Match{
		"/":               {"ANY /", "public", map[string]string{}},
		"/things/7":       {"ANY /things/{id}", "things", map[string]string{"id": "7"}},
		"/things/a%2Fb":   {"ANY /things/{id}", "things", map[string]string{"id": "a/b"}},
		"/things/special": {"ANY /things/special", "public", map[string]string{}},
		"/things/x/parts": {"ANY /things/{id}/parts", "things", map[string]string{"id": "x"}},
		"/other/x/parts":  {"ANY /{any}/x/parts", "others", map[string]string{"any": "other"}},
		"/things/":        {"$default", "public", nil},
		"/things/7/":      {"$default", "public", nil},
		"/nothing":        {"$default", "public", nil},
		"/things//parts":  {"$default", "public", nil},
	}
	for path := range want {
		m, ok := routes.Find(path)
		if !ok {
			t.Errorf("%s: got no route, want one", path)
		}
		found[path] = m
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("matches (-want +got):\n%s", diff)
	}
}

func TestNewRoutes_SharedPath(t *testing.T) {
	t.Parallel()
	routes, err := NewRoutes([]functions.Function{family("a", rest.Route{Method: "GET", Path: "/x"}),
		family("b", rest.Route{Method: "PUT", Path: "/x"})}, nil)
	if err == nil {
		t.Errorf("got %v, want an error", routes.owners)
	}
}

func TestFind_NoRoutes(t *testing.T) {
	t.Parallel()
	routes, err := NewRoutes([]functions.Function{{Name: "sweep"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := routes.Find("/"); ok {
		t.Errorf("got %v, want no match", m)
	}
}
