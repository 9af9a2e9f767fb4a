// Package public serves clients without a credential, both browsers and machines. It serves the problem types, the keys
// that verify callbacks, and the health checks. Routes lists the operations for app.ServeRoutes.
package public

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Config holds the dependencies of the operations.
type Config struct {
	// WebhookKeys returns the keys that sign callbacks. Only their public halves are published.
	WebhookKeys func() ([]app.SigningKey, error)
	Ready       func(context.Context) error // returns nil while requests can be served
	Commit      string                      // commit of the code
	Log         *slog.Logger
}

// family has an operation for each route.
type family struct{ Config }

// Routes returns the family's routes in a running function.
func Routes(a *app.App) []rest.Route {
	return Config{WebhookKeys: a.SigningKeys, Ready: a.Store.CheckWritable, Commit: a.Commit, Log: a.Log}.Routes()
}

// Routes returns the operations of the family Public (contract §1).
func (c Config) Routes() []rest.Route {
	f := family{c}
	return []rest.Route{
		{Method: "GET", Path: "/.well-known/webhook-keys", Access: rest.Open,
			Handle: rest.JSON(http.StatusOK, f.listWebhookKeys)},
		{Method: "GET", Path: "/problems/{slug}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showProblem)},
		{Method: "GET", Path: "/healthz", Access: rest.Open, Handle: rest.JSON(http.StatusOK, f.reportHealth)},
		{Method: "GET", Path: "/readyz", Access: rest.Open, Handle: rest.Page(f.checkReady)},
	}
}
