package runner

import (
	"maps"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func family(name string, routes ...rest.Route) functions.Function {
	return functions.Function{Name: name, HTTP: func(*app.App) []rest.Route { return routes }}
}

func deployed(list ...functions.Function) ([]functions.Function, map[string]*function) {
	by := map[string]*function{}
	for _, f := range list {
		by[f.Name] = &function{Function: f}
	}
	return list, by
}

func TestTheMostSpecificRouteIsTaken(t *testing.T) {
	t.Parallel()
	table, err := newRouteTable(deployed(
		family("things", rest.Route{Path: "/things/{id}"}, rest.Route{Path: "/things/{id}/parts"}),
		family("pages", rest.Route{Path: "/things/special"}, rest.Route{Path: "/"}),
		family("others", rest.Route{Path: "/{any}/x/parts"}),
	))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		function, key string
		values        map[string]string
	}{
		"/":               {"pages", "ANY /", map[string]string{}},
		"/things/7":       {"things", "ANY /things/{id}", map[string]string{"id": "7"}},
		"/things/a%2Fb":   {"things", "ANY /things/{id}", map[string]string{"id": "a/b"}},
		"/things/special": {"pages", "ANY /things/special", map[string]string{}},
		"/things/x/parts": {"things", "ANY /things/{id}/parts", map[string]string{"id": "x"}},
		"/other/x/parts":  {"others", "ANY /{any}/x/parts", map[string]string{"any": "other"}},
		"/things/":        {"pages", "$default", nil},
		"/things/7/":      {"pages", "$default", nil},
		"/nothing":        {"pages", "$default", nil},
	} {
		m, ok := table.find(path)
		if !ok || m.route.key != want.key || m.route.function.Name != want.function || !maps.Equal(m.values, want.values) {
			t.Errorf("%s: %s %v, want %s of %s %v", path, m.route.key, m.values, want.key, want.function, want.values)
		}
	}
}

func TestTwoFamiliesCannotShareAPath(t *testing.T) {
	t.Parallel()
	_, err := newRouteTable(deployed(family("a", rest.Route{Method: "GET", Path: "/x"}),
		family("b", rest.Route{Method: "PUT", Path: "/x"})))
	if err == nil {
		t.Error("no error")
	}
}

func TestWithoutFamiliesNothingIsFound(t *testing.T) {
	t.Parallel()
	table, err := newRouteTable(deployed(functions.Function{Name: "sweep"}))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := table.find("/"); ok {
		t.Errorf("found %v", m)
	}
}
