package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// emailItem leads from an address to its user. It is never deleted.
type emailItem struct {
	key
	UserID string `dynamo:"user_id"`
}

// User reads a user, consistently. Failure: NotFound.
func (s *View) User(ctx context.Context, id string) (member.User, error) {
	return readOne[member.User](ctx, s, userKey(id), failure.NotFound("There is no such user."))
}

// UserByEmail reads the user with an address. Version 0 means that there is none.
func (s *View) UserByEmail(ctx context.Context, email string) (member.User, error) {
	leads, err := readOne[emailItem](ctx, s, emailKey(member.Address(email)), nil)
	if err != nil || leads.UserID == "" {
		return member.User{}, err
	}
	return s.User(ctx, leads.UserID)
}

// putUser adds the user's next version, and for a new user the address that leads to the user.
func (tx *auditedTx) putUser(u member.User) {
	u.Version++
	tx.Put(tx.store.replace(storedItem{key: userKey(u.ID), value: u, version: u.Version}))
	if u.Version == 1 {
		email := emailItem{key: emailKey(u.Address()), UserID: u.ID}
		tx.Put(tx.store.table.Put(email).If("attribute_not_exists(pk)"))
	}
}

func (tx *auditedTx) putMembership(t identity.Tenant, m member.Member) {
	item := memberLead{membershipKey(m.UserID, t), m.ID}
	tx.Put(tx.store.table.Put(item).If("attribute_not_exists(pk)"))
}

// Failures of a password that the platform's operator sets for a user.
var (
	errNoMemberUser = failure.NotFound("No user with this address is a member of the merchant.")
	errNotAccepted  = failure.Conflict("The person has not accepted the invitation, which asks for a password.")
	errDisabledUser = failure.Conflict("The member is disabled.")
)

// SetUserPassword sets the password of the user with the address, an active member of the tenant, with an entry in the
// tenant's audit, and ends the user's access at every merchant (contract §10). Failures: NotFound, also for a managed
// user; Conflict for a disabled member, or a member who has not accepted the invitation.
func (s *Store) SetUserPassword(ctx context.Context, by audit.By, t identity.Tenant, address string,
	password *NewPassword) (member.Member, error) {
	m, err := s.replaceUserPassword(ctx, by, t, address, password)
	if err == nil {
		err = s.endAccess(ctx, by, m.UserID)
	}
	return m, err
}

// endAccess ends a user's access at every merchant, as of the time when the current password was set. A first password
// ends nothing. If endAccess is interrupted, some merchants are left, and it must be repeated.
func (s *Store) endAccess(ctx context.Context, by audit.By, user string) error {
	u, err := s.User(ctx, user)
	if err != nil || len(u.Passwords) < 2 {
		return err
	}
	memberships, err := s.allMemberships(ctx, user)
	return errors.Join(err, s.endAccessAt(ctx, by, memberships, u.Passwords[0].SetAt))
}

// allMemberships returns a user's memberships in both modes.
func (s *View) allMemberships(ctx context.Context, user string) (all []Membership, err error) {
	for _, mode := range identity.Modes {
		memberships, readErr := s.Memberships(ctx, user, mode)
		all, err = append(all, memberships...), errors.Join(err, readErr)
	}
	return all, err
}

// endAccessAt ends the access from sign-ins before the time. An error at one merchant does not stop it at the others.
func (s *Store) endAccessAt(ctx context.Context, by audit.By, memberships []Membership, at time.Time) (err error) {
	for _, of := range memberships {
		_, endErr := s.UpdateMember(ctx, actingAs(by, of.Member), of.Tenant, of.Member.Number(), "", member.EndKeys,
			func(m member.Member, _ member.Roles) (member.Member, error) {
				if !m.AccessEnded.Before(at) { // by an earlier try
					return m, nil
				}
				return m.EndAccess(at), nil
			})
		err = errors.Join(err, ignoreNotFound(endErr)) // removed meanwhile
	}
	return err
}

// replaceUserPassword stores the new password of the user, and returns the user's member of the tenant.
func (s *Store) replaceUserPassword(ctx context.Context, by audit.By, t identity.Tenant, address string,
	password *NewPassword) (member.Member, error) {
	return Retry(func(bool) (member.Member, error) {
		m, err := s.findUserMember(ctx, t, address)
		if err != nil {
			return m, err
		}
		before, err := s.User(ctx, m.UserID)
		if err != nil || before.Passwords.SetBy(password.operation) {
			return m, err
		}
		after := before
		if after.Passwords, err = password.Set(ctx, before.Passwords); err != nil {
			return m, err
		}
		tx := s.newAuditedTx(by)
		tx.putUser(after)
		tx.audit(t, subjectMember(m), before.ForAudit(), after.ForAudit())
		return m, s.resolvePassword(ctx, before, password.operation, tx.Run(ctx))
	})
}

// findUserMember reads the tenant's active member with the address, if the member is a user.
func (s *View) findUserMember(ctx context.Context, t identity.Tenant, address string) (member.Member, error) {
	m, err := s.MemberByAddress(ctx, t, address)
	switch {
	case failure.Is(err, failure.KindNotFound), err == nil && m.Type == member.TypeManaged:
		err = errNoMemberUser
	case err == nil && m.Invited():
		err = errNotAccepted
	case err == nil && m.Disabled():
		err = errDisabledUser
	}
	return m, err
}

// resolvePassword explains an error of the write. It returns nil if the operation has set the password, and ErrStale if
// another operation changed the user.
func (s *View) resolvePassword(ctx context.Context, before member.User, operation string, err error) error {
	if err == nil {
		return nil
	}
	now, readErr := s.User(ctx, before.ID)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case now.Passwords.SetBy(operation):
		return nil
	case now.Version != before.Version:
		return ErrStale
	default:
		return err
	}
}

// Membership is a user's member of one merchant, in one mode.
type Membership struct {
	identity.Tenant
	Member   member.Member
	Roles    member.Roles
	Merchant merchant.Merchant
}

// maxMemberships bounds the listed memberships of a user in one mode.
const maxMemberships = 1000

// Memberships returns a user's memberships in one mode, in the order of the merchants' codes. They are read one after
// another, so a membership that ends meanwhile may be left out.
func (s *View) Memberships(ctx context.Context, user string, mode identity.Mode) ([]Membership, error) {
	var leads []memberLead
	err := s.prefixed(membershipKey(user, identity.Tenant{}).PK, membershipPrefix+string(mode)+"#").
		Limit(maxMemberships).All(ctx, &leads)
	if err != nil {
		return nil, err
	}
	all, into := make([]Membership, len(leads)), map[key]any{}
	for i, lead := range leads {
		t, _ := identity.ParseTenant(lead.SK[len(membershipPrefix):])
		all[i].Tenant = t
		into[memberKey(t, member.NumberOf(lead.MemberID))] = &all[i].Member
		into[rolesKey(t)], into[merchantKey(t.Merchant)] = &all[i].Roles, &all[i].Merchant
	}
	if err := s.readInto(ctx, into); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(m Membership) bool { return m.Member.UserID != user }), nil
}
