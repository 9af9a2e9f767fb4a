package store

import (
	"context"
	"errors"
	"reflect"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Failures of a change that would leave a tenant without an active owner.
var (
	errLastOwner       = failure.Conflict("The merchant must have an owner.")
	errLastOwnerLeaves = failure.Denied("The merchant's last owner cannot be removed.")
)

// UpdateMember applies a change to a member. address is the address that the change gives the member, or "". keys says
// whether the member's API keys end if the change disables the member. Failures: NotFound; ErrAddressTaken; Conflict
// when there is no other owner.
func (s *Store) UpdateMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, address string,
	keys member.Keys, change func(member.Member, member.Roles) (member.Member, error)) (member.Member, error) {
	return retryAs(ctx, by, s.View, func() (member.Member, error) {
		var before member.Member
		var roles member.Roles
		var guard memberLead
		into := map[key]any{memberKey(t, number): &before, rolesKey(t): &roles}
		if address != "" {
			into[addressKey(t, address)] = &guard
		}
		err := s.readInto(ctx, into)
		switch {
		case err != nil:
			return before, err
		case before.ID == "":
			return before, errNoMember
		case guard.MemberID != "" && before.Address() != address:
			return before, ErrAddressTaken
		}
		after, err := change(before, roles)
		if err != nil || reflect.DeepEqual(before, after) {
			return before, err
		}
		return s.replaceMember(ctx, by, t, roles, before, after, keys)
	})
}

// replaceMember errors with ErrStale when the member changed, or its new address was taken.
func (s *Store) replaceMember(ctx context.Context, by audit.By, t identity.Tenant, roles member.Roles, before,
	after member.Member, keys member.Keys) (member.Member, error) {
	after = before.Changed(after, s.now())
	after.Version = before.Version + 1
	item := memberItem(t, after)
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item))
	if before.Governs() != after.Governs() {
		tx.Update(s.addOwnerChange(s.memberCountUpdate(t), before, after))
	}
	has, err := tx.endOrKeepKeys(ctx, t, before, after, keys)
	if err != nil {
		return before, err
	}
	tx.requireCaller(append(append(has, tx.countRoles(t, roles, before, after)...),
		itemVersion{item.key, before.Version})...)
	tx.audit(t, subjectMember(after), before.ForAudit(), after.ForAudit())
	if before.Address() != after.Address() {
		tx.Put(s.putAddressGuard(t, after)).Delete(s.deleteAddressGuard(t, before))
	}
	if after.Disabled() && !before.Disabled() { // to the old address, so that an address change does not hide it
		tx.Put(s.putMail(t, mail.NewAccountDisabled(versionOf(item.key, after.Version), after.Number(), before.Email)))
	}
	err = tx.runReplacement(ctx, item, errRefused)
	if errors.Is(err, errRefused) {
		err = s.explainRefusal(ctx, t, before, after, errLastOwner)
	}
	return after, err
}

// errRefused reports that a condition failed, and that the stored member has no newer version. The member may be gone.
var errRefused = errors.New("store: a condition of the change failed")

// explainRefusal explains a refused change: it returns lastOwner if the member is the last owner, else ErrStale.
func (s *View) explainRefusal(ctx context.Context, t identity.Tenant, before, after member.Member,
	lastOwner error) error {
	if !before.Governs() || after.Governs() {
		return ErrStale
	}
	var now member.Member
	var count memberCount
	err := s.readInto(ctx, map[key]any{memberKey(t, before.Number()): &now, memberCountKey(t): &count})
	switch {
	case err != nil:
		return err
	case now.Version == before.Version && count.Owners <= 1:
		return lastOwner
	default:
		return ErrStale
	}
}

func (s *Store) deleteAddressGuard(t identity.Tenant, m member.Member) *dynamo.Delete {
	return s.remove(addressKey(t, m.Address())).If("member_id = ?", m.ID)
}

// DeleteMember deletes a member, unless check refuses, and returns the member as it was. keys says whether the member's
// API keys end. The same operation may be repeated. Failures: NotFound; Forbidden when there is no other owner.
func (s *Store) DeleteMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, operation string,
	keys member.Keys, check func(member.Member, member.Roles) error) (member.Member, error) {
	return retryAs(ctx, by, s.View, func() (member.Member, error) {
		m, roles, err := s.MemberWithRoles(ctx, t, number)
		if failure.Is(err, failure.KindNotFound) {
			return s.findDeletedMember(ctx, t, number, operation)
		}
		if err == nil {
			err = check(m, roles)
		}
		if err != nil {
			return m, err
		}
		return m, s.removeMember(ctx, by, t, roles, m, operation, keys)
	})
}

// removeMember errors with ErrStale when the member changed or is gone; the next try finds out which.
func (s *Store) removeMember(ctx context.Context, by audit.By, t identity.Tenant, roles member.Roles, m member.Member,
	operation string, keys member.Keys) error {
	was := m
	was.Passwords = nil
	tx := s.newAuditedTx(by)
	tx.Delete(s.remove(memberKey(t, m.Number())).If("version = ?", m.Version)).
		Delete(s.deleteAddressGuard(t, m)).
		Put(s.putDeletion(deletedMemberKey(t, m.Number()), operation, was)).
		Update(s.addOwnerChange(s.memberCountUpdate(t).Add("count", -1), m, member.Member{}))
	has, err := tx.endOrKeepKeys(ctx, t, m, member.Member{}, keys)
	if err != nil {
		return err
	}
	tx.requireCaller(append(append(has, tx.countRoles(t, roles, m, member.Member{})...),
		itemVersion{memberKey(t, m.Number()), m.Version})...)
	if m.Invited() {
		tx.Delete(s.remove(invitationKey(m.Invite.TokenHash)))
	}
	if m.UserID != "" {
		tx.Delete(s.remove(membershipKey(m.UserID, t)))
	}
	tx.audit(t, subjectMember(m), m.ForAudit(), nil)
	err = tx.runRemoval(ctx, memberKey(t, m.Number()), m.Version, errRefused)
	if errors.Is(err, errRefused) {
		err = s.explainRefusal(ctx, t, m, member.Member{}, errLastOwnerLeaves)
	}
	return err
}

// findDeletedMember returns the member with the number if the operation deleted it. Failure: NotFound.
func (s *View) findDeletedMember(ctx context.Context, t identity.Tenant, number int32,
	operation string) (member.Member, error) {
	item, err := readOne[struct {
		Operation string `dynamo:"operation"`
		member.Member
	}](ctx, s, deletedMemberKey(t, number), errNoMember)
	if err == nil && item.Operation != operation {
		err = errNoMember
	}
	return item.Member, err
}
