// Package members is the families Members and Roles of contract §8.1 and §13.6: who may act
// for a merchant and what each of them may do; and the page on which an invitation is
// accepted.
package members

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// family is what the operations work with.
type family struct {
	store   *store.Store
	token   func(memberID, inviteID string) string // of an invitation
	baseURL string                                 // of the API, without a trailing slash
	forms   rest.Forms
}

// Routes of the families.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, token: a.InvitationToken, baseURL: strings.TrimRight(a.BaseURL, "/"),
		forms: rest.NewForms("invitation", a.BaseURL)}
	const merchant = "/v0.1/merchants/{merchant_code}"
	const members, one = merchant + "/members", merchant + "/members/{member_id}"
	const roles, role = merchant + "/roles", merchant + "/roles/{role_id}"
	const invitation = "/invitations/{token}"
	profile := []string{"user.profile", "user.profile_readonly"}
	const all = "user.subaccounts"
	readMembers, writeMembers := []string{all, "members.read"}, []string{all, "members.write"}
	readRoles, writeRoles := []string{all, "roles.read"}, []string{all, "roles.write"}
	const read, write = identity.MembersRead, identity.MembersWrite
	return []rest.Route{
		{Method: "GET", Path: members, Scopes: readMembers, Permission: read, Handle: rest.JSON(200, f.listMembers)},
		{Method: "POST", Path: members, Scopes: writeMembers, Permission: write, Errors: rest.Listed,
			Handle: rest.JSON(201, f.createMember)},
		{Method: "GET", Path: one, Scopes: readMembers, Permission: read, Handle: rest.JSON(200, f.retrieveMember)},
		{Method: "PUT", Path: one, Scopes: writeMembers, Permission: write, Errors: rest.Listed,
			Handle: rest.JSON(200, f.updateMember)},
		{Method: "DELETE", Path: one, Scopes: writeMembers, Permission: write, Handle: rest.JSON(200, f.deleteMember)},
		{Method: "GET", Path: roles, Scopes: readRoles, Permission: read, Handle: rest.JSON(200, f.listRoles)},
		{Method: "POST", Path: roles, Scopes: writeRoles, Permission: write, Errors: rest.Listed,
			Handle: rest.JSON(201, f.createRole)},
		{Method: "GET", Path: role, Scopes: readRoles, Permission: read, Handle: rest.JSON(200, f.retrieveRole)},
		{Method: "PATCH", Path: role, Scopes: writeRoles, Permission: write, Errors: rest.Listed,
			Handle: rest.JSON(200, f.updateRole)},
		{Method: "DELETE", Path: role, Scopes: writeRoles, Permission: write, Handle: rest.JSON(200, f.deleteRole)},
		{Method: "GET", Path: "/v0.1/memberships", Scopes: profile, Errors: rest.Listed,
			Handle: rest.JSON(200, f.listMemberships)},
		{Method: "GET", Path: invitation, Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showInvitation)},
		{Method: "POST", Path: invitation, Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.acceptInvitation).Unchecked()},
	}
}
