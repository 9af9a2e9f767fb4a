package member

import "github.com/cashwrap/cashwrap/shared/identity"

// Kind is the kind of principal that the member is in its requests.
func (m Member) Kind() identity.Kind {
	if m.Type == TypeManaged {
		return identity.Operator
	}
	return identity.User
}

// As is the principal of one of the member's access tokens, with the member's rights.
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

// ActsAsOwner reports whether the principal has the app settings of the merchant's owner, which are stored with the
// account (contract §13.9): the owner has, and every principal that is not a person.
func ActsAsOwner(p identity.Principal) bool { return !p.IsPerson() || p.Actor.ID == OwnerID(p.Tenant) }
