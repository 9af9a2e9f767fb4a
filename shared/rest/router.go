package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
)

// maxSegment bounds a path value, in bytes: a customer_id of 255 characters (contract §5.1) has at most 1020.
const maxSegment = 1024

type router struct {
	mux    *chi.Mux // only matches paths
	routes map[routeKey]*Route
	byPath map[string][]*Route // by path: its routes, sorted by method
}

type routeKey struct{ method, path string }

// pathMatch is the result of matching a path. route is nil if the path has no route for the method.
type pathMatch struct {
	route  *Route
	values map[string]string
	routes []*Route // the routes of the path for all methods
}

// anyMethod finds a path, no matter which methods the path takes. No route takes TRACE.
const anyMethod = http.MethodTrace

// valueName matches a value in a route's path. Paths that differ only in these names match the same requests.
var valueName = regexp.MustCompile(`\{[^}]*\}`)

func newRouter(routes []Route) *router {
	r := &router{mux: chi.NewMux(), routes: map[routeKey]*Route{}, byPath: map[string][]*Route{}}
	shapes := map[routeKey]bool{}
	for _, route := range routes {
		if !strings.HasPrefix(route.Path, "/") || (route.Path != "/" && strings.HasSuffix(route.Path, "/")) {
			panic("rest: malformed route path " + route.Path)
		}
		key, shape := routeKey{route.Method, route.Path}, routeKey{route.Method, valueName.ReplaceAllString(route.Path, "{}")}
		if shapes[shape] || route.Handle.run == nil {
			panic(fmt.Sprintf("rest: %s %s: listed twice, or without a handle", route.Method, route.Path))
		}
		if route.Access != Open && (route.Handle.plan.signed || route.PerAddress != Limit{}) {
			panic(fmt.Sprintf("rest: %s %s: signed or limited by address, but not Open", route.Method, route.Path))
		}
		shapes[shape] = true
		mustCheckSuccessor(route)
		r.routes[key] = &route
		for _, method := range []string{route.Method, anyMethod} {
			r.mux.Method(method, route.Path, http.NotFoundHandler())
		}
	}
	for key := range r.routes {
		r.byPath[key.path] = r.routesAt(key.path)
	}
	return r
}

// routesAt returns the routes of a path. Where the path's own pattern has no route for a method, a wider pattern's
// route counts.
func (r *router) routesAt(path string) (routes []*Route) {
	c := chi.NewRouteContext()
	for _, method := range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		if route := r.routes[routeKey{method, r.match(c, method, path)}]; route != nil {
			routes = append(routes, route)
		}
	}
	return routes
}

// find matches an escaped path. An encoded slash stays inside its value.
func (r *router) find(method, escapedPath string) (f pathMatch) {
	path := normalizePath(escapedPath)
	c := chi.NewRouteContext()
	f.routes = r.byPath[r.match(c, anyMethod, path)]
	if f.route = r.routes[routeKey{method, r.match(c, method, path)}]; f.route != nil {
		f.values = pathValues(c)
	}
	return f
}

// match returns the pattern of the route that takes the request, or "" if no route takes it. No value may be empty.
func (r *router) match(c *chi.Context, method, path string) string {
	c.Reset()
	pattern := r.mux.Find(c, method, path)
	if slices.Contains(c.URLParams.Values, "") {
		return ""
	}
	return pattern
}

// normalizePath escapes a path as the routes do, even if the client has escaped more characters.
func normalizePath(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		decoded, _ := url.PathUnescape(segment) // net/url has escaped it
		segments[i] = url.PathEscape(decoded)
	}
	return strings.Join(segments, "/")
}

// pathValues returns the decoded values of the matched path.
func pathValues(c *chi.Context) map[string]string {
	m := make(map[string]string, len(c.URLParams.Keys))
	for i, name := range c.URLParams.Keys {
		value, _ := url.PathUnescape(c.URLParams.Values[i])
		m[name] = truncate(value)
	}
	return m
}

// truncate cuts a value that is longer than any identifier or key. The cut value is still too long for an identifier or
// key, so nothing is found.
func truncate(value string) string {
	if len(value) <= maxSegment {
		return value
	}
	end := maxSegment
	for end > maxSegment-utf8.UTFMax && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end]
}

// allowHeader returns the Allow header of a path (RFC 9110 §10.2.1).
func (f pathMatch) allowHeader() string {
	var methods []string
	for _, route := range f.routes {
		methods = append(methods, route.Method)
		if route.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		if route.forBrowsers() {
			methods = append(methods, http.MethodOptions)
		}
	}
	slices.Sort(methods)
	return strings.Join(slices.Compact(methods), ", ")
}

// forBrowsers returns true if browsers may call the path (contract §2.1).
func (f pathMatch) forBrowsers() bool {
	return slices.ContainsFunc(f.routes, func(r *Route) bool { return r.forBrowsers() })
}
