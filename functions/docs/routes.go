// Package docs serves the documentation for developers (contract §13.10): the API's reference, guides, and both in
// forms for programs. All are embedded in the program. Routes returns the routes.
package docs

import (
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type family struct {
	site
	guides   func() ([]guide, error)
	document func() ([]byte, error) // compressed
}

// site is the installation that all texts name. Its address comes from the configuration, never from a client's Host
// header.
type site struct {
	baseURL string // without a trailing slash
	path    string // path of baseURL
}

// Routes returns the routes of the family Docs (contract §1).
func Routes(a *app.App) []rest.Route {
	s := newSite(a.BaseURL)
	f := family{site: s, guides: sync.OnceValues(s.readGuides), document: sync.OnceValues(s.compressOpenAPI)}
	return []rest.Route{
		{Method: "GET", Path: "/", Access: rest.Open, Handle: rest.Page(f.showWelcome)},
		{Method: "GET", Path: "/docs", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showReference)},
		{Method: "GET", Path: "/docs/{page}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showGuide)},
		{Method: "GET", Path: "/openapi.yaml", Access: rest.Open, Handle: rest.Page(f.downloadOpenapi)},
		{Method: "GET", Path: "/llms.txt", Access: rest.Open, Handle: rest.Page(f.showIndex)},
	}
}

func newSite(baseURL string) site {
	base := strings.TrimRight(baseURL, "/")
	return site{baseURL: base, path: rest.BasePath(base)}
}
