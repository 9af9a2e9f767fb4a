// Package sandbox serves the pages on which payers decide in test mode: the card issuer's 3DS challenge and the page of
// a redirect method's bank (contract §13.3). Routes lists them for app.ServeRoutes. The pages are deployed in every
// stage, because they refuse live payments.
package sandbox

import (
	"context"
	"log/slog"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Config holds the dependencies of the pages.
type Config struct {
	Sandbox *sandbox.Acquirer
	BaseURL string // base URL of the API, without a trailing slash
	Log     *slog.Logger

	// Notify sends the platform a notice, and returns the checkout after that.
	Notify func(ctx context.Context, h acquirer.Hint) (payments.Checkout, error)
}

// pages has an operation for each route.
type pages struct{ Config }

// Routes returns the family's routes in a running function.
func Routes(a *app.App) []rest.Route {
	return Config{Sandbox: a.Sandbox, Notify: a.SendSandboxNotice, BaseURL: a.BaseURL, Log: a.Log}.Routes()
}

// Routes returns the operations of the family Sandbox (contract §1).
func (c Config) Routes() []rest.Route {
	p := pages{c}
	return []rest.Route{
		{Method: "POST", Path: "/3ds/challenge", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(p.showChallenge)},
		{Method: "POST", Path: "/3ds/challenge/decision", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(p.decide).Unchecked()},
		{Method: "GET", Path: "/apm/{session_id}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(p.showBank)},
		{Method: "POST", Path: "/apm/{session_id}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(p.decideAtBank).Unchecked()},
	}
}
