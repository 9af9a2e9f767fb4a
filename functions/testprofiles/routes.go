// Package testprofiles is the family of contract §8.4: a merchant's test profiles, with which
// developers try real cards without charging them.
package testprofiles

import (
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type family struct {
	store *store.Store
}

// Routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store}
	scopes := []string{"user.subaccounts"}
	const read, write = identity.MembersRead, identity.MembersWrite
	const all = "/v0.1/merchants/{merchant_code}/test-profiles"
	return []rest.Route{
		{Method: "GET", Path: all, Scopes: scopes, Permission: read, Handle: rest.JSON(200, f.list)},
		{Method: "POST", Path: all, Scopes: scopes, Permission: write, Handle: rest.JSON(201, f.create)},
		{Method: "DELETE", Path: all + "/{id}", Scopes: scopes, Permission: write,
			Handle: rest.JSON(204, f.delete)},
	}
}
