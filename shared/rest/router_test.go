package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

type named struct {
	ID   string `path:"id" json:"-"`
	Part string `path:"part" json:"-"`
}

// TestRouter_Find checks which route and values a method and path find, in every escaped form that clients send.
func TestRouter_Find(t *testing.T) {
	t.Parallel()
	var routes []rest.Route
	for _, r := range []rest.Route{
		{Method: "GET", Path: "/"},
		{Method: "GET", Path: "/things/{id}", Access: rest.PublicToo},
		{Method: "DELETE", Path: "/things/{id}", Access: rest.PublicToo},
		{Method: "GET", Path: "/things/new"},
		{Method: "POST", Path: "/things/new"},
		{Method: "GET", Path: "/things/{id}/parts/{part}"},
		{Method: "PUT", Path: "/things/{id}/parts"},
		{Method: "GET", Path: "/pay/c-{id}"},
		{Method: "GET", Path: "/pay/c-x{id}"},
		{Method: "GET", Path: "/pay/{id}"},
		{Method: "PATCH", Path: "/pay/c-{id}/parts/{part}"},
	} {
		r.Handle = rest.JSON(http.StatusOK, func(_ context.Context, in named) (textResponse, error) {
			return textResponse{r.Method + " " + r.Path + " " + in.ID + " " + in.Part}, nil
		})
		routes = append(routes, r)
	}
	f := newFixture(t, routes)
	for request, want := range map[[2]string]string{
		{"GET", "/"}:                        "GET /  ",
		{"GET", "/things/1"}:                "GET /things/{id} 1 ",
		{"HEAD", "/things/1"}:               "",
		{"GET", "/things/new"}:              "GET /things/new  ",
		{"POST", "/things/new"}:             "POST /things/new  ",
		{"DELETE", "/things/new"}:           "DELETE /things/{id} new ",
		{"GET", "/things/newer"}:            "GET /things/{id} newer ",
		{"GET", "/thing%73/%6eew"}:          "GET /things/new  ",
		{"GET", "/things/new%2F"}:           "GET /things/{id} new/ ",
		{"GET", "/things/a%2Fparts%2Fb"}:    "GET /things/{id} a/parts/b ",
		{"GET", "/things/a%2F/parts/%25"}:   "GET /things/{id}/parts/{part} a/ %",
		{"GET", "/things/a;b,c+d@e!$&'()*"}: "GET /things/{id} a;b,c+d@e!$&'()* ",
		{"GET", "/things/%7Bid%7D"}:         "GET /things/{id} {id} ",
		{"GET", "/pay/c-1"}:                 "GET /pay/c-{id} 1 ",
		{"GET", "/pay/c%2D1"}:               "GET /pay/c-{id} 1 ",
		{"GET", "/pay/c-x1"}:                "GET /pay/c-x{id} 1 ",
		{"GET", "/pay/c-x"}:                 "GET /pay/c-{id} x ",
		{"GET", "/pay/c-"}:                  "GET /pay/{id} c- ",
		{"PATCH", "/pay/c-1/parts/2"}:       "PATCH /pay/c-{id}/parts/{part} 1 2",
	} {
		w := f.ask(request[0], request[1], "")
		got := ""
		if request[0] != http.MethodHead {
			got, _ = decodeObject(t, w)["text"].(string)
		}
		if w.Code != http.StatusOK || got != want {
			t.Errorf("%v: got %d %q, want 200 %q", request, w.Code, got, want)
		}
	}
	for request, want := range map[[2]string]string{
		{"GET", "/Things/1"}:           "404 ",
		{"GET", "/things"}:             "404 ",
		{"GET", "/things/"}:            "404 ",
		{"GET", "/things/1/"}:          "404 ",
		{"GET", "//things/1"}:          "404 ",
		{"GET", "/things//parts/2"}:    "404 ",
		{"PATCH", "/pay/c-/parts/2"}:   "404 ",
		{"GET", "/things%2F1"}:         "404 ",
		{"OPTIONS", "*"}:               "404 ",
		{"PUT", "/things/1"}:           "405 DELETE, GET, HEAD, OPTIONS",
		{"TRACE", "/things/1"}:         "405 DELETE, GET, HEAD, OPTIONS",
		{"get", "/things/1"}:           "405 DELETE, GET, HEAD, OPTIONS",
		{"PUT", "/things/new"}:         "405 DELETE, GET, HEAD, OPTIONS, POST",
		{"OPTIONS", "/pay/c-1"}:        "405 GET, HEAD",
		{"HEAD", "/things/1/parts"}:    "405 PUT",
		{"PUT", "/things/%2F/parts/2"}: "405 GET, HEAD",
	} {
		w := f.ask(request[0], request[1], "")
		if got := fmt.Sprint(w.Code, " ", w.Header().Get("Allow")); got != want {
			t.Errorf("%v: got %q, want %q", request, got, want)
		}
	}
}
