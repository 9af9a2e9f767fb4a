package member

import "github.com/cashwrap/cashwrap/shared/identity"

// Kind returns the kind of principal that makes the member's requests.
func (m Member) Kind() identity.Kind {
	if m.Type == TypeManaged {
		return identity.Operator
	}
	return identity.User
}

// As returns p with the member as its actor and with the member's rights. p is the principal of an access token.
func (m Member) As(p identity.Principal, roles Roles) identity.Principal {
	p.Actor = identity.Actor{Kind: m.Kind(), ID: m.ID}
	p.Permissions, p.Owner, p.Email = m.Permissions(roles), m.Owner(), m.Email
	p.Advanced = m.AppSettings.InAdvancedMode()
	p.Admitted.Version, p.Admitted.Roles = m.Version, 0
	if m.HasOwnRole() {
		p.Admitted.Roles = roles.Version
	}
	return p
}

// ActsAsOwner returns true for the merchant's owner and for each principal that is not a person. They use the owner's
// app settings, which are stored with the account (contract §13.9).
func ActsAsOwner(p identity.Principal) bool { return !p.IsPerson() || p.Actor.ID == OwnerID(p.Tenant) }
