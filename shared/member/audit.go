package member

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// ForAudit returns the member in the form of audit entries. Of passwords it has only the time when the current one was
// set.
func (m Member) ForAudit() any {
	view := struct {
		Email       string               `json:"email"`
		Type        Type                 `json:"type"`
		Roles       []string             `json:"roles"`
		Nickname    string               `json:"nickname"`
		Permissions Permissions          `json:"permissions"`
		Disabled    bool                 `json:"disabled"`
		PasswordSet *time.Time           `json:"password_set_at"`
		AccessEnded time.Time            `json:"access_ended_at,omitzero"`
		AppSettings merchant.AppSettings `json:"app_settings,omitzero"`
		User        string               `json:"user_id,omitzero"`
		Invited     *time.Time           `json:"invited_until,omitempty"`
		Metadata    Metadata             `json:"metadata,omitzero"`
		Attributes  Metadata             `json:"attributes,omitzero"`
	}{Email: m.Email, Type: m.Type, Roles: m.Roles, Nickname: m.Nickname, Permissions: m.Own,
		Disabled: m.Disabled(), AppSettings: m.AppSettings,
		AccessEnded: m.AccessEnded, User: m.UserID, Metadata: m.Metadata, Attributes: m.Attributes}
	if len(m.Passwords) > 0 {
		view.PasswordSet = &m.Passwords[0].SetAt
	}
	if m.Invited() {
		view.Invited = &m.Invite.ExpiresAt
	}
	return view
}

// ForAudit returns the user in the form of audit entries. Of passwords it has only the time when the current one was
// set.
func (u User) ForAudit() any {
	view := struct {
		Email       string     `json:"email"`
		PasswordSet *time.Time `json:"password_set_at"`
	}{Email: u.Email}
	if len(u.Passwords) > 0 {
		view.PasswordSet = &u.Passwords[0].SetAt
	}
	return view
}

// ForAudit returns the role as audit entries show it.
func (r Role) ForAudit() any {
	return struct {
		Name        string                `json:"name"`
		Description string                `json:"description"`
		Permissions []identity.Permission `json:"permissions"`
		Metadata    Metadata              `json:"metadata,omitzero"`
	}{r.Name, r.Description, r.Permissions, r.Metadata}
}
