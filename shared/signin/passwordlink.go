package signin

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// How long a link to set a password is valid (contract §10). The link of a new merchant's owner lasts longer.
const (
	PasswordLinkLasts  = 30 * time.Minute
	FirstPasswordLasts = 7 * 24 * time.Hour
)

// PasswordLink is a mailed link to set a user's password, once. It ends when the user gets another password.
type PasswordLink struct {
	ID        string    `dynamo:"id"`               // the link's token is derived from it
	User      string    `dynamo:"user,omitempty"`   // id; "" for an address without a user, who gets no mail
	Before    string    `dynamo:"before,omitempty"` // the operation that set the password at that time
	ExpiresAt time.Time `dynamo:"-"`                // stored as expires_at of the item, in seconds
}

// NewPasswordLink returns the link of an operation for a user, who may be the zero User.
func NewPasswordLink(operation string, u member.User, expiresAt time.Time) PasswordLink {
	return PasswordLink{ID: identity.DerivedID("", "password\x00"+operation), User: u.ID,
		Before: u.Passwords.Current(), ExpiresAt: expiresAt}
}

// Operation returns the operation that sets a password by the link.
func (l PasswordLink) Operation() string { return member.LinkOperation(l.ID) }

// IsOpen returns true if the link can set the user's password.
func (l PasswordLink) IsOpen(u member.User) bool {
	return l.User == u.ID && u.ID != "" && l.Before == u.Passwords.Current()
}

// IsUsed returns true if the link has set the user's password.
func (l PasswordLink) IsUsed(u member.User) bool {
	return l.User == u.ID && u.Passwords.SetBy(l.Operation())
}
