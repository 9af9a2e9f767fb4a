// Package apikeys serves contract §8.2 and §8.5: a merchant's API keys and merchant tokens. Routes returns its routes.
package apikeys

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// storage lists the methods of the store that the family uses.
type storage interface {
	APIKey(ctx context.Context, t identity.Tenant, id string) (identity.APIKey, error)
	APIKeys(ctx context.Context, t identity.Tenant) ([]identity.APIKey, error)
	CreateAPIKey(ctx context.Context, by audit.By, k identity.APIKey) (identity.APIKey, error)
	CreateMerchantToken(ctx context.Context, by audit.By, t identity.AccessToken) (identity.AccessToken, error)
	DeleteAPIKey(ctx context.Context, by audit.By, t identity.Tenant, id, operation string) error
	KeyUses(ctx context.Context, t identity.Tenant, ids ...string) (map[string]time.Time, error)
	Now() time.Time
	UpdateAPIKey(ctx context.Context, by audit.By, t identity.Tenant, id string,
		change func(identity.APIKey) (identity.APIKey, error)) (identity.APIKey, error)
}

type family struct {
	store storage
}

// Routes returns the routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store}
	read, write := []string{"api_keys", identity.KeysWrite}, []string{identity.KeysWrite}
	const mayRead, mayWrite = identity.DeveloperSettingsRead, identity.DeveloperSettingsWrite
	const all, one = "/v0.1/merchants/{merchant_code}/api-keys", "/v0.1/merchants/{merchant_code}/api-keys/{key_id}"
	return []rest.Route{
		{Method: "GET", Path: all, Scopes: read, Permission: mayRead, Handle: rest.JSON(200, f.listAPIKeys)},
		{Method: "POST", Path: all, Scopes: write, Permission: mayWrite, Handle: rest.JSON(201, f.createAPIKey)},
		{Method: "GET", Path: one, Scopes: read, Permission: mayRead, Handle: rest.JSON(200, f.retrieveAPIKey)},
		{Method: "PUT", Path: one, Scopes: write, Permission: mayWrite, Handle: rest.JSON(204, f.updateAPIKey)},
		{Method: "DELETE", Path: one, Scopes: write, Permission: mayWrite, Handle: rest.JSON(204, f.deleteAPIKey)},
		{Method: "POST", Path: "/v0.1/merchants/{merchant_code}/tokens", Scopes: identity.MerchantTokens.Scopes,
			Permission: identity.MerchantTokens.Permission, Errors: rest.Listed,
			Handle: rest.JSON(200, f.createMerchantToken)},
	}
}
