package member

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// errNotAllowed is the failure of a caller that lacks a right which it would give, or which
// the member or role has that it would change.
var errNotAllowed = failure.Forbidden("request_not_allowed")

// CheckMayChange refuses a caller that could not give all rights that the member has before
// and after the change: a caller cannot give rights that it lacks, nor change or remove a
// member with more rights than its own (contract §8.1). before is zero for a new member, and
// after for a deleted one. Failure: Forbidden.
func CheckMayChange(p identity.Principal, before, after Member, roles Roles) error {
	for _, m := range []Member{before, after} {
		if m.Owner() && !p.MayMakeOwner() || !mayGive(p, m.Permissions(roles)) {
			return errNotAllowed
		}
	}
	return nil
}

// CheckMayChangeRole is CheckMayChange for a role, whether or not members have it.
func CheckMayChangeRole(p identity.Principal, before, after Role) error {
	if !mayGive(p, before.Permissions) || !mayGive(p, after.Permissions) {
		return errNotAllowed
	}
	return nil
}

func mayGive(p identity.Principal, permissions []identity.Permission) bool {
	return !slices.ContainsFunc(permissions, func(one identity.Permission) bool { return !p.MayGivePermission(one) })
}
