package member

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// errNotAllowed is the failure of a caller who lacks what it would give, or what those have
// over whom it acts.
var errNotAllowed = failure.Forbidden("request_not_allowed")

// CheckMayChange refuses a caller that could not give all that the member has before and
// after the change: nobody gives more rights than it has, and nobody takes over or removes
// somebody with more rights (contract §8.1). Before it joins, and after it left, a member is
// zero. Failure: Forbidden.
func CheckMayChange(p identity.Principal, before, after Member, roles Roles) error {
	for _, m := range []Member{before, after} {
		if m.Owner() && !p.MayMakeOwner() || !mayGive(p, m.Permissions(roles)) {
			return errNotAllowed
		}
	}
	return nil
}

// CheckMayChangeRole is CheckMayChange for a role, whoever has it.
func CheckMayChangeRole(p identity.Principal, before, after Role) error {
	if !mayGive(p, before.Permissions) || !mayGive(p, after.Permissions) {
		return errNotAllowed
	}
	return nil
}

func mayGive(p identity.Principal, permissions []identity.Permission) bool {
	return !slices.ContainsFunc(permissions, func(one identity.Permission) bool { return !p.MayGivePermission(one) })
}
