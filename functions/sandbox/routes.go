// Package sandbox is the pages of test mode on which a payer decides: the card issuer's 3DS challenge and the page of a
// redirect method's bank (contract §13.3). It is deployed in every stage and refuses live payments.
package sandbox

import (
	"context"
	"log/slog"

	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Config is what the pages work with.
type Config struct {
	Sandbox *sandbox.Acquirer
	// Resolve has the platform ask the acquirer what became of a checkout.
	Resolve func(ctx context.Context, t identity.Tenant, checkoutID string) (payments.Checkout, error)
	BaseURL string // of the API, without a trailing slash
	Log     *slog.Logger
}

// pages has an operation for each route.
type pages struct{ Config }

// Routes are the family's routes in a running function.
func Routes(a *app.App) []rest.Route {
	return Config{Sandbox: a.Sandbox, Resolve: a.Processing.Resolve, BaseURL: a.BaseURL, Log: a.Log}.Routes()
}

// Routes are the operations of the family Sandbox (contract §1).
func (c Config) Routes() []rest.Route {
	p := pages{c}
	return []rest.Route{
		{Method: "POST", Path: "/3ds/challenge", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(p.challenge)},
		{Method: "POST", Path: "/3ds/challenge/decision", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(p.decide).Unchecked()},
		{Method: "GET", Path: "/apm/{session_id}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(p.bank)},
		{Method: "POST", Path: "/apm/{session_id}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(p.bankDecision).Unchecked()},
	}
}
