package rules_test

import (
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func TestRouteKeys(t *testing.T) {
	t.Parallel()
	family := functions.Function{HTTP: func(*app.App) []rest.Route {
		return []rest.Route{
			{Method: "POST", Path: "/v0.1/checkouts"}, {Method: "GET", Path: "/v0.1/checkouts"},
			{Method: "GET", Path: "/v0.1/checkouts/{id}"}, {Method: "GET", Path: "/pay/c-{id}"},
		}
	}}
	if got, want := family.RouteKeys(nil), []string{"ANY /v0.1/checkouts", "ANY /v0.1/checkouts/{id}",
		"ANY /pay/{id}"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (functions.Function{}).RouteKeys(nil); got != nil {
		t.Errorf("without HTTP: got %v, want nil", got)
	}
}

// TestDefaultFamily_Listed checks that the default family is in the list.
func TestDefaultFamily_Listed(t *testing.T) {
	t.Parallel()
	if !slices.ContainsFunc(functions.All, func(f functions.Function) bool {
		return f.Name == functions.DefaultFamily && f.HTTP != nil
	}) {
		t.Errorf("got no family %s, want it in the list", functions.DefaultFamily)
	}
}
