package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Match is a request's route.
type Match struct {
	Key      string            // "ANY /v0.1/checkouts/{id}" or "$default"
	Function string            // name of the function
	Values   map[string]string // the path's parameters; nil for $default
}

// Routes are the routes of the HTTP API. Find takes the most specific route, or else $default.
type Routes struct {
	mux      *chi.Mux
	owners   map[string]string // function per route key
	fallback string            // function of $default; "" if there are no routes
}

// NewRoutes returns the routes of the HTTP functions. It does not change the App a. It fails if two functions have the
// same route.
func NewRoutes(list []functions.Function, a *app.App) (Routes, error) {
	r := Routes{mux: chi.NewMux(), owners: map[string]string{}}
	for _, f := range list {
		if f.HTTP == nil {
			continue
		}
		if r.fallback == "" || f.Name == functions.DefaultFamily {
			r.fallback = f.Name
		}
		for _, key := range f.RouteKeys(a) {
			if owner, taken := r.owners[key]; taken {
				return r, fmt.Errorf("functions %q and %q both have the route %s", owner, f.Name, key)
			}
			r.owners[key] = f.Name
			r.mux.Handle(strings.TrimPrefix(key, functions.AnyMethod), http.NotFoundHandler())
		}
	}
	return r, nil
}

// Find matches an escaped path. It returns false only if there are no routes. Parameters have at least one character.
func (r Routes) Find(escapedPath string) (Match, bool) {
	found := chi.NewRouteContext()
	key := functions.AnyMethod + r.mux.Find(found, http.MethodGet, escapedPath) // routes accept any method
	values := map[string]string{}
	for i, name := range found.URLParams.Keys {
		value, err := url.PathUnescape(found.URLParams.Values[i])
		if err != nil || value == "" {
			key = ""
		}
		values[name] = value
	}
	if function, ok := r.owners[key]; ok {
		return Match{key, function, values}, true
	}
	return Match{Key: functions.DefaultRoute, Function: r.fallback}, r.fallback != ""
}
