// Package testprofiles serves the family of contract §8.4: a merchant's test profiles. With a test profile, developers
// try real cards without charging them. Routes returns its routes.
package testprofiles

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// storage lists the methods of the store that the family uses.
type storage interface {
	CreateTestProfile(ctx context.Context, by audit.By, t identity.Tenant, p member.TestProfile,
		password *store.NewPassword) (member.TestProfile, error)
	DeleteTestProfile(ctx context.Context, by audit.By, t identity.Tenant, id, operation string,
		check func() error) error
	Now() time.Time
	PasswordOf(t identity.Tenant, operation string, text secret.Text) *store.NewPassword
	TestProfiles(ctx context.Context, t identity.Tenant) ([]member.TestProfile, error)
}

type family struct {
	store storage
}

// Routes returns the routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store}
	scopes := []string{"user.subaccounts"}
	const read, write = identity.MembersRead, identity.MembersWrite
	const all = "/v0.1/merchants/{merchant_code}/test-profiles"
	return []rest.Route{
		{Method: "GET", Path: all, Scopes: scopes, Permission: read, Handle: rest.JSON(200, f.listTestProfiles)},
		{Method: "POST", Path: all, Scopes: scopes, Permission: write, Handle: rest.JSON(201, f.createTestProfile)},
		{Method: "DELETE", Path: all + "/{id}", Scopes: scopes, Permission: write,
			Handle: rest.JSON(204, f.deleteTestProfile)},
	}
}
