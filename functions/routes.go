package functions

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/app"
)

// The HTTP API's routes follow from the list, in a deployment as in the local run: one route "ANY <path>" for each path
// of a family, which also answers 405, HEAD and a browser's preflight there; and for every other path DefaultRoute.
const (
	AnyMethod    = "ANY "
	DefaultRoute = "$default"

	// DefaultFamily answers unknown paths. All families would alike; this one reads no credential.
	DefaultFamily = "public"
)

// RouteKeys returns the keys of the family's routes, each once. API Gateway knows only whole segments as parameters: of
// prefix{name} it gets {name}, and the family's router checks the rest.
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
