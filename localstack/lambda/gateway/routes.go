package gateway

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Route is a route of the HTTP API.
type Route struct {
	Key      string // "ANY /v0.1/checkouts/{id}" or "$default"
	Function string // name of the function that is called

	segments []string // of its path; {name} matches any one that is not empty
}

// Match is the route of a request, with the values of its path's parameters; nil for $default.
type Match struct {
	Route
	Values map[string]string
}

// Routes are those of the HTTP API; the most specific route comes first, $default last.
type Routes []Route

// NewRoutes returns the routes of the functions in the list that answer HTTP. a is only read. The error names two
// functions that claim the same route.
func NewRoutes(list []functions.Function, a *app.App) (Routes, error) {
	var routes Routes
	fallback := ""
	owners := map[string]string{}
	for _, f := range list {
		if f.HTTP == nil {
			continue
		}
		if fallback == "" || f.Name == functions.DefaultFamily {
			fallback = f.Name
		}
		for _, key := range f.RouteKeys(a) {
			if owner, taken := owners[key]; taken {
				return nil, fmt.Errorf("functions %q and %q both have the route %s", owner, f.Name, key)
			}
			owners[key] = f.Name
			routes = append(routes, Route{key, f.Name, strings.Split(strings.TrimPrefix(key, functions.AnyMethod), "/")})
		}
	}
	slices.SortStableFunc(routes, moreSpecific)
	if fallback != "" {
		routes = append(routes, Route{Key: functions.DefaultRoute, Function: fallback})
	}
	return routes, nil
}

// moreSpecific puts a fixed segment before a value, from the left.
func moreSpecific(a, b Route) int {
	for i := range min(len(a.segments), len(b.segments)) {
		x, y := isValue(a.segments[i]), isValue(b.segments[i])
		if x != y {
			if x {
				return 1
			}
			return -1
		}
	}
	return len(a.segments) - len(b.segments)
}

func isValue(segment string) bool { return strings.HasPrefix(segment, "{") }

// Find matches an escaped path; false only when there is no route at all.
func (r Routes) Find(escapedPath string) (Match, bool) {
	segments := strings.Split(escapedPath, "/")
	for _, route := range r {
		if route.Key == functions.DefaultRoute {
			return Match{Route: route}, true
		}
		if values, ok := route.values(segments); ok {
			return Match{Route: route, Values: values}, true
		}
	}
	return Match{}, false
}

func (r Route) values(segments []string) (map[string]string, bool) {
	if len(segments) != len(r.segments) {
		return nil, false
	}
	values := map[string]string{}
	for i, want := range r.segments {
		switch {
		case isValue(want) && segments[i] != "":
			value, err := url.PathUnescape(segments[i])
			if err != nil {
				return nil, false
			}
			values[strings.Trim(want, "{}")] = value
		case want != segments[i]:
			return nil, false
		}
	}
	return values, true
}
