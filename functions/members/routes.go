// Package members serves the families Members and Roles of contract §8.1 and §13.6: who may act for a merchant, and
// what each member may do. It also has the pages that accept an invitation and set a forgotten password. Routes returns
// the routes.
package members

import (
	"context"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// storage lists the methods of the store that the family uses.
type storage interface {
	AcceptInvitation(ctx context.Context, by audit.By, token string,
		passwords func(store.Invitation) (member.Passwords, error)) (store.Invitation, error)
	Account(ctx context.Context, code string) (account.Account, error)
	CreateMember(ctx context.Context, by audit.By, t identity.Tenant, address, operation string,
		create func(id string, roles member.Roles) (member.Member, error)) (member.Member, error)
	CreateRole(ctx context.Context, by audit.By, t identity.Tenant, role member.Role,
		check func() error) (member.Role, error)
	DeleteMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, operation string, keys member.Keys,
		check func(member.Member, member.Roles) error) (member.Member, error)
	DeleteRole(ctx context.Context, by audit.By, t identity.Tenant, id, operation string,
		check func(member.Role) error) error
	HaveSecondFactor(ctx context.Context, users ...string) (map[string]bool, error)
	Invitation(ctx context.Context, token string) (store.Invitation, error)
	Member(ctx context.Context, t identity.Tenant, number int32) (member.Member, error)
	MemberWithRoles(ctx context.Context, t identity.Tenant, number int32) (member.Member, member.Roles, error)
	Members(ctx context.Context, t identity.Tenant) ([]member.Member, error)
	Memberships(ctx context.Context, user string, mode identity.Mode) ([]store.Membership, error)
	Merchant(ctx context.Context, code string) (merchant.Merchant, error)
	Now() time.Time
	PasswordFor(address, operation string, text secret.Text) *store.NewPassword
	PasswordLink(ctx context.Context, hash string) (signin.PasswordLink, member.User, error)
	PasswordOf(t identity.Tenant, operation string, text secret.Text) *store.NewPassword
	RequestPasswordLink(ctx context.Context, address, source string,
		newLink func(member.User) (signin.PasswordLink, string)) error
	Roles(ctx context.Context, t identity.Tenant) (member.Roles, error)
	RolesOf(ctx context.Context, t identity.Tenant, members ...member.Member) (member.Roles, error)
	UpdateMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, address string, keys member.Keys,
		change func(member.Member, member.Roles) (member.Member, error)) (member.Member, error)
	UpdateRole(ctx context.Context, by audit.By, t identity.Tenant, id string,
		change func(member.Role) (member.Role, error)) (member.Role, error)
	UsePasswordLink(ctx context.Context, by audit.By, hash string, password *store.NewPassword) error
}

type family struct {
	store   storage
	token   func(memberID, inviteID string) string // of an invitation
	baseURL string                                 // of the API, without a trailing slash
	forms   rest.Forms

	passwordToken func(linkID string) string // of a link to set a password
}

// Routes returns the routes of the families.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, token: a.InvitationToken, baseURL: strings.TrimRight(a.BaseURL, "/"),
		forms: rest.NewForms("invitation", a.BaseURL), passwordToken: a.PasswordToken}
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
		{Method: "GET", Path: "/password", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showPasswordRequest)},
		{Method: "POST", Path: "/password", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.requestPasswordLink).Unchecked()},
		{Method: "GET", Path: "/password/{token}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.showPasswordLink)},
		{Method: "POST", Path: "/password/{token}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.setPassword).Unchecked()},
	}
}
