package member

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// ForAudit is the member as audit entries show it: of passwords only when the current
// one was set.
func (m Member) ForAudit() any {
	view := struct {
		Email       string               `json:"email"`
		Type        Type                 `json:"type"`
		Roles       []string             `json:"roles"`
		Nickname    string               `json:"nickname"`
		Permissions Permissions          `json:"permissions"`
		Disabled    bool                 `json:"disabled"`
		PasswordSet *time.Time           `json:"password_set_at"`
		AppSettings merchant.AppSettings `json:"app_settings,omitzero"`
	}{Email: m.Email, Type: m.Type, Roles: m.Roles, Nickname: m.Nickname, Permissions: m.Permissions,
		Disabled: m.Disabled(), AppSettings: m.AppSettings}
	if len(m.Passwords) > 0 {
		view.PasswordSet = &m.Passwords[0].SetAt
	}
	return view
}
