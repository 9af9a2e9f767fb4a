package members

import (
	"context"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// memberView is the response object of contract §8.1.
type memberView struct {
	ID          string                `json:"id"`
	Roles       []string              `json:"roles"`
	Permissions []identity.Permission `json:"permissions"`
	Status      member.Status         `json:"status"`
	CreatedAt   rest.Timestamp        `json:"created_at"`
	UpdatedAt   rest.Timestamp        `json:"updated_at"`
	Attributes  member.Metadata       `json:"attributes,omitempty"`
	Metadata    member.Metadata       `json:"metadata,omitempty"`
	Invite      *inviteView           `json:"invite,omitempty"`
	User        *userView             `json:"user,omitempty"`
}

type inviteView struct {
	Email     string         `json:"email"`
	ExpiresAt rest.Timestamp `json:"expires_at"`
}

type userView struct {
	ID             string          `json:"id"`
	Type           member.Type     `json:"type"`
	Email          string          `json:"email"`
	MFA            bool            `json:"mfa_on_login_enabled"`
	Virtual        bool            `json:"virtual_user"`
	ServiceAccount bool            `json:"service_account_user"`
	Classic        classicView     `json:"classic"`
	Nickname       string          `json:"nickname,omitempty"`
	DisabledAt     *rest.Timestamp `json:"disabled_at,omitempty"`
}

type classicView struct {
	UserID int32 `json:"user_id"`
}

// viewMember shows a member. factors has the users with a confirmed second factor.
func viewMember(m member.Member, roles member.Roles, factors map[string]bool, now time.Time) memberView {
	v := memberView{ID: m.ID, Roles: slices.Sorted(slices.Values(m.Roles)), Permissions: m.Permissions(roles),
		Status: m.Status(now), CreatedAt: rest.Timestamp(m.CreatedAt), UpdatedAt: rest.Timestamp(m.UpdatedAt),
		Attributes: m.Attributes, Metadata: m.Metadata}
	if m.Invited() {
		v.Invite = &inviteView{m.Email, rest.Timestamp(m.Invite.ExpiresAt)}
		return v
	}
	v.User = &userView{ID: m.User(), Type: m.Type, Email: m.Email, MFA: factors[m.User()],
		Virtual: m.Type == member.TypeManaged, Classic: classicView{m.Number()}, Nickname: m.Nickname}
	if m.Disabled() {
		at := rest.Timestamp(m.DisabledAt)
		v.User.DisabledAt = &at
	}
	return v
}

// readFactors returns the second factors of the members' users, read in one call.
func (f family) readFactors(ctx context.Context, members ...member.Member) (map[string]bool, error) {
	var users []string
	for _, m := range members {
		if !m.Invited() {
			users = append(users, m.User())
		}
	}
	return f.store.HaveSecondFactor(ctx, users...)
}

// roleView is the response object of contract §13.6.
type roleView struct {
	ID          string                `json:"id"`
	Name        string                `json:"name"`
	Description string                `json:"description,omitempty"`
	Permissions []identity.Permission `json:"permissions"`
	Predefined  bool                  `json:"is_predefined"`
	Metadata    member.Metadata       `json:"metadata,omitempty"`
	CreatedAt   rest.Timestamp        `json:"created_at"`
	UpdatedAt   rest.Timestamp        `json:"updated_at"`
}

// viewRole shows a role. A predefined role shows the merchant's time of creation.
func viewRole(r member.Role, merchantSince time.Time) roleView {
	if r.Predefined() {
		r.CreatedAt, r.UpdatedAt = merchantSince, merchantSince
	}
	return roleView{ID: r.ID, Name: r.Name, Description: r.Description, Permissions: sortPermissions(r.Permissions),
		Predefined: r.Predefined(), Metadata: r.Metadata, CreatedAt: rest.Timestamp(r.CreatedAt),
		UpdatedAt: rest.Timestamp(r.UpdatedAt)}
}

// sortPermissions returns the permissions in the contract's order, each once. It never returns nil.
func sortPermissions(permissions []identity.Permission) []identity.Permission {
	return slices.DeleteFunc(identity.AllPermissions(),
		func(one identity.Permission) bool { return !slices.Contains(permissions, one) })
}
