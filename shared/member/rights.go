package member

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// errHasMore is the failure of a caller that lacks a right of its target. The failure names no right, because the
// caller might not be allowed to see the target's rights.
var errHasMore = failure.Denied("It has rights that the credential could not give.")

// CheckMayChange refuses a caller that lacks a right of the member before or after the change (contract §8.1). For a
// new member before is zero, and for a deleted member after is zero. Failure: Forbidden.
func CheckMayChange(p identity.Principal, before, after Member, roles Roles) error {
	if len(lacksForMember(p, before, roles)) > 0 {
		return errHasMore
	}
	lacks := lacksForMember(p, after, roles)
	if len(lacks) > 0 && !p.May("user.subaccounts", "roles.read") && roles.hasOwnRoleOf(after) {
		return errHasMore
	}
	return checkMayGive(lacks)
}

func (r Roles) hasOwnRoleOf(m Member) bool {
	return slices.ContainsFunc(r.Own, func(one Role) bool { return slices.Contains(m.Roles, one.ID) })
}

// CheckMayChangeRole refuses a caller that lacks a right of the role before or after the change, even if no member has
// the role. Failure: Forbidden.
func CheckMayChangeRole(p identity.Principal, before, after Role) error {
	if len(lacksFor(p, before.Permissions)) > 0 {
		return errHasMore
	}
	return checkMayGive(lacksFor(p, after.Permissions))
}

// checkMayGive refuses to give rights that the caller lacks, and names them.
func checkMayGive(lacks []identity.Lack) error {
	if len(lacks) == 0 {
		return nil
	}
	return failure.Denied(identity.Lacks("To give these rights, the credential lacks", lacks))
}

func lacksForMember(p identity.Principal, m Member, roles Roles) []identity.Lack {
	lacks := lacksFor(p, m.Permissions(roles))
	if m.Owner() {
		lacks = append(lacks, p.LacksForOwner()...)
	}
	return lacks
}

func lacksFor(p identity.Principal, permissions []identity.Permission) (lacks []identity.Lack) {
	for _, one := range permissions {
		lacks = append(lacks, p.LacksForPermission(one)...)
	}
	return lacks
}
