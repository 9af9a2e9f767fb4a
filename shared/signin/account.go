// Package signin holds the rules of how people sign in on the platform's pages: accounts,
// sessions and the second factor. It does no I/O.
package signin

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Account is who signs in with a name and a password: a user, a managed user of one merchant,
// or a test profile. The zero account is nobody.
type Account struct {
	Kind   identity.Kind   `dynamo:"kind"`             // User, Operator or TestProfile
	ID     string          `dynamo:"id"`               // of the user, the member or the profile
	Tenant identity.Tenant `dynamo:"tenant,omitempty"` // of a managed user or test profile
	Name   string          `dynamo:"name"`             // address or user name, as it was written when it was registered

	Passwords member.Passwords `dynamo:"-"`
}

// User is the id by which the account's second factor is stored: a UUID.
func (a Account) User() string {
	if a.Kind == identity.User {
		return a.ID
	}
	return member.UserID("member " + a.ID)
}

// SignsInAs is the name by which the account is found again.
func (a Account) SignsInAs() Name {
	if a.Kind == identity.TestProfile {
		return Name{Profile: a.ID, Merchant: a.Tenant.Merchant}
	}
	return Name{Address: member.Address(a.Name), Merchant: a.Tenant.Merchant}
}

// Password is the operation that has set the account's current password; "": it has none.
func (a Account) Password() string {
	if len(a.Passwords) == 0 {
		return ""
	}
	return a.Passwords[0].Operation
}

// Name is what somebody signs in with.
type Name struct {
	Address  string // in the form that is unique; "": of a test profile
	Merchant string // code; "": a user's
	Profile  string // id of a test profile
}

// ParseName reads what was entered: an address, perhaps with a merchant's code beside it, or
// a test profile's user name, which contains that.
func ParseName(username, merchant string) Name {
	username = strings.TrimSpace(username)
	id, code, _ := strings.Cut(username, "@")
	if strings.HasPrefix(id, member.TestProfilePrefix) && identity.IsMerchantCode(code) {
		return Name{Profile: id, Merchant: code}
	}
	return Name{Address: member.Address(username), Merchant: strings.ToUpper(strings.TrimSpace(merchant))}
}

// Subject is what counts passwords for the name in a mode. An invitation counts those of a
// user by the address, too. A merchant's code beside the address counts for nothing: else
// each merchant of a user would give more tries, or show that the user is its member.
func (n Name) Subject(mode identity.Mode) string {
	if n.Profile == "" {
		return n.Address
	}
	return n.Profile + " " + identity.Tenant{Mode: mode, Merchant: n.Merchant}.String()
}

// SessionLasts is how long somebody stays signed in.
const SessionLasts = time.Hour

// Session is what a browser's cookie leads to, as stored.
type Session struct {
	Hash     string    `dynamo:"session_hash"` // of the cookie
	Account  Account   `dynamo:"account"`
	Password string    `dynamo:"password_operation"` // that set the password with which it was begun
	Pending  bool      `dynamo:"pending"`            // the second factor is still to be confirmed
	BeganAt  time.Time `dynamo:"began_at"`
	Expires  time.Time `dynamo:"-"` // to the second, as expires_at of the item
}

// Of reports whether the session is the account's, and was begun with its current password.
func (s Session) Of(a Account) bool {
	return a.ID != "" && s.Account.ID == a.ID && s.Account.Kind == a.Kind && s.Account.Tenant == a.Tenant &&
		a.Password() != "" && s.Password == a.Password()
}
