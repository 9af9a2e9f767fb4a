// Package member has the rules for a merchant's members and operators (contract §7.4): their roles, permissions and
// passwords. All rules are pure: a method returns the changed member, which package store writes.
package member

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// MaxMembers limits a tenant's members, so that one request can list them all. The members take half a megabyte, and at
// most nine megabytes.
const MaxMembers = 1000

// Type is the type of a member's user (contract §8.1).
type Type string

// The types.
const (
	TypeUser    Type = "user"         // a person with their own password: the owner, or an invited user
	TypeManaged Type = "managed_user" // a person whose account the merchant made, such as an operator
)

// Member is a person, as stored, who may act for a tenant or who is invited to do so.
type Member struct {
	ID          string               `dynamo:"id"`    // mem_ and 26 characters
	Email       string               `dynamo:"email"` // as written; member.Address makes it unique
	Type        Type                 `dynamo:"type"`
	Roles       []string             `dynamo:"roles,set"`                 // ids
	Nickname    string               `dynamo:"nickname,omitempty"`        // "": none
	Own         Permissions          `dynamo:"permissions,omitempty"`     // granted to a managed user besides the roles
	DisabledAt  time.Time            `dynamo:"disabled_at,omitempty"`     // zero: not disabled
	Passwords   Passwords            `dynamo:"passwords,omitempty"`       // of a managed user; others: User.Passwords
	AppSettings merchant.AppSettings `dynamo:"app_settings,omitempty"`    // of a managed user
	UserID      string               `dynamo:"user_id,omitempty"`         // id of a User; "": managed, or only invited
	Invite      Invite               `dynamo:"invite,omitempty"`          // zero: the member has accepted
	Metadata    Metadata             `dynamo:"metadata,omitempty"`        // the merchant's own data
	Attributes  Metadata             `dynamo:"attributes,omitempty"`      // set by the platform's operator
	AccessEnded time.Time            `dynamo:"access_ended_at,omitempty"` // zero: never ended; see AccessSince
	CreatedAt   time.Time            `dynamo:"created_at"`
	UpdatedAt   time.Time            `dynamo:"updated_at"`
	Version     int                  `dynamo:"version"` // of the stored item, from 1
}

// Status is a member's status (contract §2.7).
type Status string

// The statuses. The contract's "unknown" is never emitted.
const (
	StatusAccepted Status = "accepted"
	StatusPending  Status = "pending"
	StatusExpired  Status = "expired"
	StatusDisabled Status = "disabled"
)

// Registration is a request for a new managed user. The password is not part of it.
type Registration struct {
	Email       string
	Nickname    string
	Permissions Permissions
}

// NewEmployee returns a new operator: a managed user with role_employee (contract §7.4).
func NewEmployee(id string, r Registration, p Passwords, now time.Time) Member {
	return Member{ID: id, Email: r.Email, Type: TypeManaged, Roles: []string{RoleEmployee}, Nickname: r.Nickname,
		Own: r.Permissions, Passwords: p, CreatedAt: now, UpdatedAt: now}
}

// NewOwner returns a tenant's first member, whose user is u.
func NewOwner(t identity.Tenant, email string, u User, now time.Time) Member {
	return Member{ID: OwnerID(t), Email: email, Type: TypeUser, Roles: []string{RoleOwner}, UserID: u.ID, CreatedAt: now,
		UpdatedAt: now, Version: 1}
}

// Address returns the member's e-mail address in its unique form.
func (m Member) Address() string { return Address(m.Email) }

// Number returns the member's classic.user_id, which is also an operator's id.
func (m Member) Number() int32 { return NumberOf(m.ID) }

// Operator returns true if the operations on operators apply to the member: a managed user without role_owner.
func (m Member) Operator() bool { return m.Type == TypeManaged && !m.Owner() }

// Disabled returns true if the member is barred from signing in.
func (m Member) Disabled() bool { return !m.DisabledAt.IsZero() }

// Invited returns true if the member has not accepted yet.
func (m Member) Invited() bool { return m.Invite.ID != "" }

// Active returns true if the member may act for the tenant.
func (m Member) Active() bool { return !m.Invited() && !m.Disabled() }

// Owner returns true if the member has role_owner, even if the member is not active.
func (m Member) Owner() bool { return slices.Contains(m.Roles, RoleOwner) }

// Governs returns true if the member is an active owner. A tenant always has an active owner.
func (m Member) Governs() bool { return m.Active() && m.Owner() }

// Status returns the member's status at the time.
func (m Member) Status(now time.Time) Status {
	switch {
	case m.Disabled():
		return StatusDisabled
	case !m.Invited():
		return StatusAccepted
	case now.Before(m.Invite.ExpiresAt):
		return StatusPending
	default:
		return StatusExpired
	}
}

// User returns the id of the member's user, a UUID. For a managed user it is derived from the member's id.
func (m Member) User() string { return cmp.Or(m.UserID, UserID("member "+m.ID)) }

// Enabled returns the member after it was enabled or disabled. A member who is already disabled keeps the first
// DisabledAt.
func (m Member) Enabled(enabled bool, now time.Time) Member {
	switch {
	case enabled:
		m.DisabledAt = time.Time{}
	case !m.Disabled():
		m.DisabledAt = now
	}
	return m
}

// Address returns an e-mail address in the form that is unique in a tenant and by which its user is found. It ignores
// case, because RFC 5321 §2.4 discourages names that depend on case. It also unites the two ways to write an accent
// (RFC 6532 §3.1: NFC).
func Address(email string) string { return strings.Map(lower, norm.NFC.String(email)) }

// lower returns the letter in lower case, but never turns a letter beyond ASCII into an ASCII letter. İ would become i,
// which is another letter in a domain (RFC 5892). The owner of that other domain would then pass as the user of the
// first address.
func lower(r rune) rune {
	if small := unicode.ToLower(r); r < utf8.RuneSelf || small >= utf8.RuneSelf {
		return small
	}
	return r
}

// ID returns the id of the member that an operation makes. A repeated operation gets the same id. try is 0, and grows
// by one while another member has the id's number.
func ID(operation string, try int) string {
	return identity.DerivedID(idPrefix, operation+"\x00"+strconv.Itoa(try))
}

// OwnerID returns the id of a tenant's first owner.
func OwnerID(t identity.Tenant) string { return identity.DerivedID(idPrefix, "owner\x00"+t.String()) }

const idPrefix = "mem_"

// NumberOf returns the number of the member with the id, from 1 to 2³¹-1 (int32). A member can be found by id or
// number. The numbers do not show how many members exist. Among a thousand members, the chance that two share a number
// is about one in 4,000.
func NumberOf(id string) int32 {
	sum := sha256.Sum256([]byte(id))
	return max(1, int32(binary.BigEndian.Uint32(sum[:4])>>1)) //nolint:gosec // 31 bits
}
