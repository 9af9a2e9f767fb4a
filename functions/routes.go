package functions

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/app"
)

// A deployment and the local run derive the routes of the HTTP API from All. Each path of a family has one route "ANY
// <path>". So the family itself answers HEAD and a browser's preflight, and refuses other methods with 405.
// DefaultRoute gets the requests for all other paths.
const (
	AnyMethod    = "ANY "
	DefaultRoute = "$default"

	// DefaultFamily answers unknown paths. Any family would give the same answer, but this family reads no credential.
	DefaultFamily = "public"
)

// RouteKeys returns the keys of the family's routes, each once. API Gateway accepts a parameter only as a whole
// segment, so a segment prefix{name} becomes {name}. The family's router checks the prefix.
func (f Function) RouteKeys(a *app.App) []string {
	if f.HTTP == nil {
		return nil
	}
	var keys []string
	for _, route := range f.HTTP(a) {
		segments := strings.Split(route.Path, "/")
		for i, segment := range segments {
			if at := strings.IndexByte(segment, '{'); at > 0 {
				segments[i] = segment[at:]
			}
		}
		if key := AnyMethod + strings.Join(segments, "/"); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
