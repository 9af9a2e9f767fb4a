package member

import "github.com/cashwrap/cashwrap/shared/identity"

// Kind is that of the principal as which the member makes requests.
func (m Member) Kind() identity.Kind {
	if m.Type == TypeManaged {
		return identity.Operator
	}
	return identity.User
}

// As is the principal of an access token of the member's, with the rights that it has.
func (m Member) As(p identity.Principal, roles Roles) identity.Principal {
	p.Actor = identity.Actor{Kind: m.Kind(), ID: m.ID}
	p.Permissions, p.Owner, p.Email = m.Permissions(roles), m.Owner(), m.Email
	p.Admitted.Version, p.Admitted.Roles = m.Version, 0
	if m.HasOwnRole() {
		p.Admitted.Roles = roles.Version
	}
	return p
}
