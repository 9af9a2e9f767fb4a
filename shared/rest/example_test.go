package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// send sends a browser's request. The table is a stub.
func send(routes []rest.Route, method, target, body string) *httptest.ResponseRecorder {
	handler := rest.New(rest.Config{Routes: routes, HashKey: hashKey, Log: slog.New(slog.DiscardHandler),
		Store: store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", HTTP: cannedTable{},
			Credentials: credentials.NewStaticCredentialsProvider("none", "none", "")})})
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("X-Forwarded-Proto", "https")
	return answer(handler, r)
}

// An operation gets its request decoded and checked, and returns a result or a failure.
func ExampleJSON() {
	type request struct {
		Product string `path:"product"`
		Size    string `query:"size" validate:"one-of=S|M|L"`
		Count   int    `json:"count"`
	}
	type order struct {
		Text string `json:"text"`
	}
	create := func(_ context.Context, in request) (order, error) {
		if in.Count == 0 {
			return order{}, failure.Missing("count")
		}
		return order{fmt.Sprintf("%d %s in %s", in.Count, in.Product, in.Size)}, nil
	}
	routes := []rest.Route{{Method: http.MethodPost, Path: "/products/{product}/orders", Access: rest.Open,
		Handle: rest.JSON(http.StatusCreated, create)}}

	for _, request := range [][2]string{
		{"/products/shirts/orders?size=L", `{"count":2}`},
		{"/products/shirts/orders?size=XL", `{"count":2}`},
		{"/products/shirts/orders?size=L", `{}`},
	} {
		w := send(routes, http.MethodPost, request[0], request[1])
		var reply struct{ Text, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			fmt.Println(err)
		}
		fmt.Println(w.Code, reply.Text+reply.Message)
	}
	// Output:
	// 201 2 shirts in L
	// 400 size must be one of S, M, L.
	// 400 count is required.
}

// A page is a Document: HTML, a redirect, or a body of another type.
func ExamplePage() {
	type request struct {
		ID string `path:"id"`
	}
	show := func(_ context.Context, in request) (rest.Document, error) {
		if in.ID == "old" {
			return rest.Document{Redirect: "https://shop.example.com/new"}, nil
		}
		return rest.Document{HTML: []byte("<p>Thank you.</p>")}, nil
	}
	routes := []rest.Route{{Method: http.MethodGet, Path: "/thanks/c-{id}", Access: rest.Open, Errors: rest.HTML,
		Handle: rest.Page(show)}}

	for _, path := range []string{"/thanks/c-1", "/thanks/c-old"} {
		w := send(routes, http.MethodGet, path, "")
		fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Header().Get("Location"), w.Body)
	}
	// Output:
	// 200 text/html;charset=UTF-8  <p>Thank you.</p>
	// 303  https://shop.example.com/new
}
