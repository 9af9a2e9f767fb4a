package world

import (
	"crypto/rand"
	"fmt"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Owner returns the merchant's first member.
func (s Shop) Owner() member.Member {
	s.Helper()
	return s.readMember(s.Tenant(), member.NumberOf(member.OwnerID(s.Tenant())))
}

// Employ creates a managed user with the permissions and an unknown password.
func (s Shop) Employ(email string, permissions member.Permissions) member.Member {
	s.Helper()
	r := member.Registration{Email: email, Permissions: permissions}
	return s.employ(s.Tenant(), r, s.unknownPassword)
}

// EmployWith creates a managed user of the tenant with the password and without permissions.
func (s Shop) EmployWith(t identity.Tenant, email, password string) member.Member {
	s.Helper()
	chosen := s.App.Store.PasswordOf(t, "employ "+email, secret.New(password))
	return s.employ(t, member.Registration{Email: email},
		func() (member.Passwords, error) { return chosen.Set(s.Context(), nil) })
}

func (s Shop) employ(t identity.Tenant, r member.Registration, choose func() (member.Passwords, error)) member.Member {
	s.Helper()
	m, err := s.App.Store.CreateMember(s.Context(), byOperation("createMember"), t, member.Address(r.Email),
		"employ "+r.Email+t.String(),
		func(id string, _ member.Roles) (member.Member, error) {
			passwords, err := choose()
			return member.NewEmployee(id, r, passwords, s.App.Store.Now()), err
		})
	s.must(err)
	return m
}

// Person creates a user who is a member with the role. If the user is new, the password is unknown.
func (s Shop) Person(email, role string) member.Member {
	s.Helper()
	return s.join(s.Tenant(), email, role, s.unknownPassword)
}

// PersonWith creates an owner of the tenant with the password. The operation that sets the password is called "accept "
// followed by the address. An existing user keeps the old password.
func (s Shop) PersonWith(t identity.Tenant, email, password string) member.Member {
	s.Helper()
	chosen := s.App.Store.PasswordFor(member.Address(email), "accept "+email, secret.New(password))
	return s.join(t, email, member.RoleOwner, func() (member.Passwords, error) { return chosen.Set(s.Context(), nil) })
}

// Join adds the member's user to another shop with the role. It returns an access token for that shop. The token is for
// that shop, but a request to a path of the first shop acts for the first shop.
func (s Shop) Join(other Shop, m member.Member, role string) string {
	s.Helper()
	return other.TokenOf(s.join(other.Tenant(), m.Email, role, s.unknownPassword))
}

// join invites the user with the address, and accepts the invitation as the user. The function choose returns the
// password of a new user.
func (s Shop) join(t identity.Tenant, email, role string, choose func() (member.Passwords, error)) member.Member {
	s.Helper()
	token := s.newSecretText("invitation token")
	_, err := s.App.Store.CreateMember(s.Context(), byOperation("createMember"), t, member.Address(email),
		fmt.Sprint("invite ", email, t, s.App.Store.Now()), // the time makes it unique if a member is invited again
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: email, Roles: []string{role}}, "invite "+email,
				func(string, string) string { return token }, s.App.Store.Now()), nil
		})
	s.must(err)
	accepted, err := s.App.Store.AcceptInvitation(s.Context(), byOperation("acceptInvitation"), token,
		func(i store.Invitation) (member.Passwords, error) {
			if len(i.User.Passwords) > 0 {
				return i.User.Passwords, nil
			}
			return choose()
		})
	s.must(err)
	return s.readMember(t, accepted.Member.Number())
}

func (s Shop) readMember(t identity.Tenant, number int32) member.Member {
	s.Helper()
	m, err := s.App.Store.Member(s.Context(), t, number)
	s.must(err)
	return m
}

// unknownPassword returns a password without a valid hash. This saves the time of hashing.
func (s Shop) unknownPassword() (member.Passwords, error) {
	return member.Passwords{{Operation: rand.Text(), SetAt: s.App.Store.Now()}}, nil
}
