package rest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSegment bounds one path value, in bytes: the longest id is a
// customer_id of 255 characters (contract §5.1), at most 1020 bytes.
const maxSegment = 1024

// router finds a route by method and path. net/http's ServeMux has no
// prefix{name} segments, answers 404 and 405 in text/plain, and redirects
// paths that the contract wants to be 404 (a trailing slash, contract §2.2).
type router struct{ root branch }

// branch is one segment of the routes' tree.
type branch struct {
	fixed  map[string]*branch
	values []*valueBranch
	routes map[string]*Route // by method
}

// valueBranch is a segment prefix{name}.
type valueBranch struct {
	prefix, name string
	branch
}

// found is what matched a path. route is nil when nothing takes the method.
type found struct {
	route  *Route
	values map[string]string
	others []*Route // the routes of the path, whatever their method
}

func newRouter(routes []Route) *router {
	r := &router{}
	for _, route := range routes {
		b := &r.root
		for _, segment := range segmentsOf(route.Path) {
			b = b.grow(segment)
		}
		if b.routes[route.Method] != nil || route.Handle.run == nil {
			panic(fmt.Sprintf("rest: %s %s: listed twice, or without a handle", route.Method, route.Path))
		}
		checkSuccessor(route)
		if b.routes == nil {
			b.routes = map[string]*Route{}
		}
		b.routes[route.Method] = &route
	}
	return r
}

func segmentsOf(path string) []string {
	if !strings.HasPrefix(path, "/") || (path != "/" && strings.HasSuffix(path, "/")) {
		panic("rest: malformed route path " + path)
	}
	return strings.Split(path[1:], "/")
}

func (b *branch) grow(segment string) *branch {
	prefix, name, isValue := strings.Cut(segment, "{")
	if !isValue {
		if b.fixed == nil {
			b.fixed = map[string]*branch{}
		}
		if b.fixed[segment] == nil {
			b.fixed[segment] = &branch{}
		}
		return b.fixed[segment]
	}
	name = strings.TrimSuffix(name, "}")
	for _, v := range b.values {
		if v.prefix == prefix && v.name == name {
			return &v.branch
		}
	}
	v := &valueBranch{prefix: prefix, name: name}
	b.values = append(b.values, v)
	// The longest prefix is the most particular, so it is tried first.
	slices.SortStableFunc(b.values, func(x, y *valueBranch) int { return len(y.prefix) - len(x.prefix) })
	return &v.branch
}

// find matches an escaped path. Each segment is decoded by itself, so that an
// encoded slash stays inside its value.
func (r *router) find(method, escapedPath string) found {
	var f found
	path, ok := strings.CutPrefix(escapedPath, "/")
	if !ok {
		return f
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return f
		}
		segments[i] = truncated(decoded)
	}
	f.walk(&r.root, method, segments, nil)
	return f
}

// truncated cuts a value that is longer than any identifier, and than the table's
// keys may be. What is left is still too long for one, so the operation answers
// that it knows no such thing.
func truncated(value string) string {
	if len(value) <= maxSegment {
		return value
	}
	end := maxSegment
	for end > maxSegment-utf8.UTFMax && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end]
}

// walk notes all routes of the path, and the first that takes the method:
// fixed segments win over values.
func (f *found) walk(b *branch, method string, segments []string, values []string) {
	if len(segments) == 0 {
		for _, m := range slices.Sorted(maps.Keys(b.routes)) {
			f.others = append(f.others, b.routes[m])
		}
		if route := b.routes[method]; route != nil && f.route == nil {
			f.route, f.values = route, pairs(values)
		}
		return
	}
	segment, rest := segments[0], segments[1:]
	if next := b.fixed[segment]; next != nil {
		f.walk(next, method, rest, values)
	}
	for _, v := range b.values {
		if value, ok := strings.CutPrefix(segment, v.prefix); ok && value != "" {
			f.walk(&v.branch, method, rest, append(slices.Clip(values), v.name, value))
		}
	}
}

func pairs(values []string) map[string]string {
	m := make(map[string]string, len(values)/2)
	for i := 0; i < len(values); i += 2 {
		m[values[i]] = values[i+1]
	}
	return m
}

// allow is the Allow header of a path (RFC 9110 §10.2.1).
func (f found) allow() string {
	methods := map[string]bool{}
	for _, route := range f.others {
		methods[route.Method] = true
		if route.Method == http.MethodGet {
			methods[http.MethodHead] = true
		}
		if route.Access == PublicToo {
			methods[http.MethodOptions] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
}

// public says browsers may call the path (contract §2.1).
func (f found) public() bool {
	return slices.ContainsFunc(f.others, func(r *Route) bool { return r.Access == PublicToo })
}
