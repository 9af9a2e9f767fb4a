package runner

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/functions"
)

// apiRoute is a route of the HTTP API.
type apiRoute struct {
	key      string   // "ANY /v0.1/checkouts/{id}" or "$default"
	segments []string // of its path; {name} matches any one that is not empty
	function *function
}

// match is the route of a request, with the values of its path.
type match struct {
	route  apiRoute
	values map[string]string
}

// routeTable is the HTTP API's; the most specific route comes first, $default last.
type routeTable []apiRoute

func newRouteTable(list []functions.Function, deployed map[string]*function) (routeTable, error) {
	var table routeTable
	var fallback *function
	owners := map[string]string{}
	for _, f := range list {
		if f.HTTP == nil {
			continue
		}
		family := deployed[f.Name]
		if fallback == nil || f.Name == functions.DefaultFamily {
			fallback = family
		}
		for _, key := range f.RouteKeys(family.app) {
			if owner, taken := owners[key]; taken {
				return nil, fmt.Errorf("functions %q and %q both have the route %s", owner, f.Name, key)
			}
			owners[key] = f.Name
			table = append(table, apiRoute{key, strings.Split(strings.TrimPrefix(key, functions.AnyMethod), "/"), family})
		}
	}
	slices.SortStableFunc(table, moreSpecific)
	if fallback != nil {
		table = append(table, apiRoute{key: functions.DefaultRoute, function: fallback})
	}
	return table, nil
}

// moreSpecific puts a fixed segment before a value, from the left.
func moreSpecific(a, b apiRoute) int {
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

// find matches an escaped path; false only when there is no route at all.
func (t routeTable) find(escapedPath string) (match, bool) {
	segments := strings.Split(escapedPath, "/")
	for _, route := range t {
		if route.key == functions.DefaultRoute {
			return match{route: route}, true
		}
		if values, ok := route.values(segments); ok {
			return match{route: route, values: values}, true
		}
	}
	return match{}, false
}

func (r apiRoute) values(segments []string) (map[string]string, bool) {
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
