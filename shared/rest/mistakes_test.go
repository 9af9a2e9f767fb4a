package rest_test

import (
	"context"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

func TestNew_InvalidRoutes(t *testing.T) {
	t.Parallel()
	good := rest.Route{Method: "GET", Path: "/a", Handle: rest.JSON(200, respond("a"))}
	for name, start := range map[string]func(){
		"twice": func() { rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{good, good}}) },
		"twice but for the value's name": func() {
			rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{
				{Method: "GET", Path: "/{a}", Handle: good.Handle}, {Method: "GET", Path: "/{b}", Handle: good.Handle}}})
		},
		"no handle": func() { rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{{Method: "GET", Path: "/a"}}}) },
		"slash": func() {
			rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{{Method: "GET", Path: "/a/", Handle: good.Handle}}})
		},
		"successor without a slash": func() {
			rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{{Method: "GET", Path: "/a",
				Handle: good.Handle, Successor: "b"}}})
		},
		"successor of a template nobody fills in": func() {
			rest.New(rest.Config{HashKey: hashKey, Routes: []rest.Route{{Method: "GET", Path: "/a", Handle: good.Handle,
				Successor: "/b/{id}"}}})
		},
		"brackets": func() {
			rest.JSON(200, func(context.Context, struct {
				L []string `query:"statuses[]"`
			}) (textResponse, error) {
				return textResponse{}, nil
			})
		},
		"short key": func() {
			rest.New(rest.Config{HashKey: []byte("short"), Routes: []rest.Route{{Method: "POST", Path: "/a",
				Handle: good.Handle}}})
		},
		"not a struct": func() {
			rest.JSON(200, func(context.Context, int) (textResponse, error) { return textResponse{}, nil })
		},
		"bad query": func() {
			rest.JSON(200, func(context.Context, struct {
				M map[string]string `query:"m"`
			}) (textResponse, error) {
				return textResponse{}, nil
			})
		},
		"same name": func() {
			rest.JSON(200, func(context.Context, struct {
				A string `query:"x"`
				B string `query:"x"`
			}) (textResponse, error) {
				return textResponse{}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("got no panic, want one")
				}
			}()
			start()
		})
	}
}
