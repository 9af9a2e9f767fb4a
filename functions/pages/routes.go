// Package pages is what browsers and machines read without a credential: the
// problem types, the keys that verify callbacks, and the health checks.
package pages

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Config is what the pages work with.
type Config struct {
	// WebhookKeys are the public halves of the keys that sign callbacks.
	WebhookKeys func() ([]WebhookKey, error)
	Ready       func(context.Context) error // nil while requests can be served
	Log         *slog.Logger
}

// pages has an operation for each route.
type pages struct{ Config }

// Routes are the family's routes in a running function.
func Routes(a *app.App) []rest.Route {
	return Config{WebhookKeys: platformKeys(a), Ready: a.Store.CheckWritable, Log: a.Log}.Routes()
}

// Routes are the operations of the family Public (contract §1).
func (c Config) Routes() []rest.Route {
	p := pages{c}
	return []rest.Route{
		{Method: "GET", Path: "/.well-known/webhook-keys", Access: rest.Open, Handle: rest.JSON(http.StatusOK, p.webhookKeys)},
		{Method: "GET", Path: "/problems/{slug}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(p.problem)},
		{Method: "GET", Path: "/healthz", Access: rest.Open, Handle: rest.JSON(http.StatusOK, p.healthy)},
		{Method: "GET", Path: "/readyz", Access: rest.Open, Handle: rest.Page(p.ready)},
	}
}

// platformKeys are the platform's signing keys.
func platformKeys(a *app.App) func() ([]WebhookKey, error) {
	return func() ([]WebhookKey, error) {
		keys, err := a.SigningKeys()
		var published []WebhookKey
		for _, key := range keys {
			published = append(published, WebhookKey{Key: key.PublicKey(), CreatedAt: key.Since})
		}
		return published, err
	}
}
