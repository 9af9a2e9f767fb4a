package rest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/rest"
)

type asked struct {
	Limit    rest.PageSize `query:"limit"`
	Statuses []string      `query:"statuses" validate:"one-of=SUCCESSFUL|FAILED"`
}

type bounded struct {
	Limit rest.PageSize `query:"limit" validate:"max=9999"`
}

// capped caps the page size, as the history does. refused refuses a larger page size, as payouts do (contract §2.6).
func capped(_ context.Context, in asked) (textResponse, error) {
	return textResponse{fmt.Sprint(in.Limit.Capped(10, 1000), in.Statuses)}, nil
}

func refused(_ context.Context, in bounded) (textResponse, error) {
	return textResponse{fmt.Sprint(in.Limit.Capped(9999, 9999))}, nil
}

func pagedFixture(t *testing.T) *fixture {
	return newFixture(t, []rest.Route{route("GET", "/capped", capped), route("GET", "/within", refused)})
}

func TestPageSize(t *testing.T) {
	t.Parallel()
	f := pagedFixture(t)
	for target, want := range map[string]string{
		"/capped":                            "10 []",
		"/capped?limit=1":                    "1 []",
		"/capped?limit=1000":                 "1000 []",
		"/capped?limit=1001":                 "1000 []",
		"/capped?limit=10000":                "1000 []",
		"/capped?limit=99999999999":          "1000 []",
		"/capped?limit=99999999999999999999": "1000 []",
		"/within":                            "9999",
		"/within?limit=1":                    "1",
		"/within?limit=9999":                 "9999",
	} {
		if w := f.ask("GET", target, ""); w.Code != 200 || decodeObject(t, w)["text"] != want {
			t.Errorf("%s: got %d %s, want 200 %s", target, w.Code, w.Body, want)
		}
	}
	const positive, inside = "must be a positive integer.", "must be at most 9999."
	for target, rule := range map[string]string{
		"/capped?limit=":  "must not be empty.",
		"/capped?limit=0": positive, "/capped?limit=-1": positive, "/capped?limit=ten": positive,
		"/capped?limit=1.0": positive, "/capped?limit=1e3": positive,
		"/capped?limit=-99999999999999999999": positive, "/capped?limit=0x10": positive, "/capped?limit=%20": positive,
		"/within?limit=0": positive, "/within?limit=10000": inside, "/within?limit=99999999999999999999": inside,
	} {
		if diff := cmp.Diff(invalidError("limit", rule), errorOf(t, f.ask("GET", target, ""))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", target, diff)
		}
	}
}

// TestDecode_UnknownListValue checks that an unknown value is refused in every spelling of the list, under the list's
// own name, with the allowed values (contract §2.5).
func TestDecode_UnknownListValue(t *testing.T) {
	t.Parallel()
	f := pagedFixture(t)
	got := decodeObject(t, f.ask("GET", "/capped?statuses[]=FAILED&statuses[]=SUCCESSFUL", ""))["text"]
	if want := "10 [FAILED SUCCESSFUL]"; got != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for _, query := range []string{
		"statuses=X", "statuses[]=X", "statuses%5B%5D=X", "statuses[0]=X", "statuses[][0]=X", "statuses=FAILED,X",
		"statuses=FAILED&statuses[]=X",
		"statuses[]=failed", "statuses[]=FAILED%20", "statuses[]=SECRET-VALUE",
	} {
		w := f.ask("GET", "/capped?"+query, "")
		if diff := cmp.Diff(invalidError("statuses", "must be one of SUCCESSFUL, FAILED."), errorOf(t, w)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", query, diff)
		}
		if strings.Contains(w.Body.String(), "SECRET-VALUE") {
			t.Errorf("%s: got body %s, want no SECRET-VALUE in it", query, w.Body)
		}
	}
}
