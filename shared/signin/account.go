// Package signin has the rules of sign-in on the platform's pages: accounts, sessions, known browsers and the second
// factor. Its methods do no I/O: they return the changed value, and package store writes it.
package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// Account is a login with a name and a password: a user, a managed user of one merchant, or a test profile. The zero
// Account belongs to no person.
type Account struct {
	Kind   identity.Kind   `dynamo:"kind"`             // User, Operator or TestProfile
	ID     string          `dynamo:"id"`               // of the user, the member or the profile
	Tenant identity.Tenant `dynamo:"tenant,omitempty"` // of a managed user or test profile
	Name   string          `dynamo:"name"`             // address as registered, or user name

	Passwords member.Passwords `dynamo:"-"`
	Since     time.Time        `dynamo:"-"` // sessions with an earlier sign-in have ended
}

// User returns the id that the account's second factor is stored under: the UUID of member.Member.User.
func (a Account) User() string {
	if a.Kind == identity.User {
		return a.ID
	}
	return member.Member{ID: a.ID}.User()
}

// SignsInAs returns the name by which the account is found.
func (a Account) SignsInAs() Name {
	if a.Kind == identity.TestProfile {
		return Name{Profile: a.ID, Merchant: a.Tenant.Merchant}
	}
	return Name{Address: member.Address(a.Name), Merchant: a.Tenant.Merchant}
}

// Name is the name that a person signs in with.
type Name struct {
	Address  string // in its unique form; "": the name is a test profile's
	Merchant string // code; "": the name is a user's
	Profile  string // id of a test profile
}

// ParseName parses the fields of the form. The name is an address, with a merchant's code for a managed user, or a test
// profile's user name, which contains the code.
func ParseName(username, merchant string) Name {
	username = strings.TrimSpace(username)
	id, code, _ := strings.Cut(username, "@")
	if strings.HasPrefix(id, member.TestProfilePrefix) && identity.IsMerchantCode(code) {
		return Name{Profile: id, Merchant: code}
	}
	return Name{Address: member.Address(username), Merchant: strings.ToUpper(strings.TrimSpace(merchant))}
}

// Subject returns the subject whose bucket limits tries of passwords (contract §2.9). For an address it omits the
// merchant's code. With the code, a user would have further tries for each merchant, and the tries would show that the
// user is a member there.
func (n Name) Subject(mode identity.Mode) string {
	if n.Profile == "" {
		return n.Address
	}
	return n.Profile + " " + identity.Tenant{Mode: mode, Merchant: n.Merchant}.String()
}

// SessionLasts is the lifetime of a session.
const SessionLasts = time.Hour

// Session is a signed-in browser. It is stored under the hash of its cookie.
type Session struct {
	Hash     string    `dynamo:"session_hash"` // of the cookie
	Account  Account   `dynamo:"account"`
	Password string    `dynamo:"password_operation"` // the operation that set the password used for the sign-in
	Pending  bool      `dynamo:"pending"`            // the second factor is not confirmed yet
	SignedIn time.Time `dynamo:"signed_in_at"`       // when the password was confirmed
	BeganAt  time.Time `dynamo:"began_at"`           // later than SignedIn if a second factor was confirmed
	Expires  time.Time `dynamo:"-"`                  // stored as expires_at of the item, in seconds
	Browser  string    `dynamo:"browser,omitempty"`  // ParseBrowser of the sign-in's request
}

// SessionID returns the id that names a session in forms, by its hash. The id leads neither to the cookie nor to the
// hash, so it is of no use to a person who only sees the page.
func SessionID(hash string) string {
	sum := sha256.Sum256([]byte("session id " + hash))
	return hex.EncodeToString(sum[:16])
}

// Of returns true if the session belongs to the account, began with the account's current password, and has not ended.
func (s Session) Of(a Account) bool {
	return a.ID != "" && s.Account.ID == a.ID && s.Account.Kind == a.Kind && s.Account.Tenant == a.Tenant &&
		a.Passwords.Current() != "" && s.Password == a.Passwords.Current() && !s.SignedIn.Before(a.Since)
}

// HeldByMember returns true if a code or grant is still valid for the member who allowed it. The member must be active,
// and the member's access must not have ended since the sign-in (contract §10).
func HeldByMember(h oauth.Holder, m member.Member) bool {
	return m.ID == h.Subject && m.Kind() == h.Kind && m.UserID == h.User && m.Active() && m.Honours(h.SignedIn)
}

// HeldByPassword returns true if the holder of a code or grant still has the password used for the sign-in (contract
// §10).
func HeldByPassword(h oauth.Holder, now member.Passwords) bool {
	return now.Current() != "" && now.Current() == h.Password
}
