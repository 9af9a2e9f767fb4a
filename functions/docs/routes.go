// Package docs is what developers read: the reference of the API, guides, and both in forms for programs (contract
// §13.10). All of it is in the program itself.
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

// site is the installation, in whose name all texts are. Its address is the configured one, never a client's Host.
type site struct {
	baseURL string // without a trailing slash
	path    string // of that URL
}

// Routes are the operations of the family Docs (contract §1).
func Routes(a *app.App) []rest.Route {
	s := siteAt(a.BaseURL)
	f := family{site: s, guides: sync.OnceValues(s.readGuides), document: sync.OnceValues(s.describe)}
	return []rest.Route{
		{Method: "GET", Path: "/", Access: rest.Open, Handle: rest.Page(f.showWelcome)},
		{Method: "GET", Path: "/docs", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showReference)},
		{Method: "GET", Path: "/docs/{page}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showGuide)},
		{Method: "GET", Path: "/openapi.yaml", Access: rest.Open, Handle: rest.Page(f.downloadOpenapi)},
		{Method: "GET", Path: "/llms.txt", Access: rest.Open, Handle: rest.Page(f.showIndex)},
	}
}

func siteAt(baseURL string) site {
	base := strings.TrimRight(baseURL, "/")
	return site{baseURL: base, path: rest.BasePath(base)}
}
