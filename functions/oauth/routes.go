// Package oauth is the families OAuth and Sign-in of contract §10: the pages on which people
// sign in and allow a client to act for them, and the operations by which the client gets,
// revokes and looks at its tokens.
package oauth

import (
	"log/slog"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// family is what the operations work with.
type family struct {
	store   *store.Store
	baseURL string // of the API, without a trailing slash; the issuer (RFC 8414 §2)
	forms   rest.Forms
	devices rest.Forms // sets and reads the device cookie; there is no form
	log     *slog.Logger

	factorKey func() signin.FactorKey
	knownKey  func() signin.KnownKey
	wallNow   func() time.Time // the real time, by which authenticator apps make codes
}

// Routes of the families.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, baseURL: strings.TrimRight(a.BaseURL, "/"), forms: rest.NewForms("session", a.BaseURL),
		devices: rest.NewForms("device", a.BaseURL), log: a.Log, factorKey: a.FactorKey, knownKey: a.KnownKey,
		wallNow: a.WallNow}
	return []rest.Route{
		{Method: "POST", Path: "/token", Access: rest.Open, Errors: rest.OAuth, Handle: rest.JSON(200, f.createToken)},
		{Method: "POST", Path: "/revoke", Access: rest.Open, Errors: rest.OAuth, Handle: rest.JSON(200, f.revokeToken)},
		{Method: "POST", Path: "/introspect", Access: rest.Open, Errors: rest.OAuth,
			Handle: rest.JSON(200, f.introspectToken)},
		{Method: "GET", Path: "/.well-known/oauth-authorization-server", Access: rest.Open,
			Handle: rest.JSON(200, f.retrieveAuthorizationServer)},
		{Method: "GET", Path: "/authorize", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.showAuthorization)},
		{Method: "POST", Path: "/authorize", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.decideAuthorization)},
		{Method: "GET", Path: "/sign-in", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showSignIn)},
		{Method: "POST", Path: "/sign-in", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.signIn).Unchecked()},
		{Method: "POST", Path: "/sign-in/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.confirmSignIn).Unchecked()},
		{Method: "GET", Path: "/account/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.showSecondFactor)},
		{Method: "POST", Path: "/account/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.updateSecondFactor).Unchecked()},
	}
}
