package members

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// listMembersRequest has filters, all of which must match. scroll has no effect: a list always
// has the count.
type listMembersRequest struct {
	rest.Paging
	Scroll    bool       `query:"scroll"`
	Email     rest.Email `query:"email"` // a prefix
	UserID    string     `query:"user.id" validate:"pattern=^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"`
	UserTypes []string   `query:"user.type" validate:"one-of=user|managed_user|service_account|system_account"`
	Status    string     `query:"status" validate:"one-of=accepted|pending|expired|disabled|unknown"`
	Roles     []string   `query:"roles" validate:"items=124 text=64"` // any of them
}

// listMembers lists the members who match all filters, the oldest first.
func (f family) listMembers(ctx context.Context, req listMembersRequest) (rest.Listing[memberView], error) {
	t, now := rest.Caller(ctx).Tenant, f.store.Now()
	all, err := f.store.Members(ctx, t)
	if err != nil {
		return rest.Listing[memberView]{}, err
	}
	found := slices.DeleteFunc(all, func(m member.Member) bool { return !req.matches(m, now) })
	roles, err := f.store.RolesOf(ctx, t, found...)
	if err != nil {
		return rest.Listing[memberView]{}, err
	}
	from, to := req.Bounds(len(found))
	factors, err := f.factors(ctx, found[from:to]...)
	return rest.PageOf(req.Paging, found, func(m member.Member) memberView {
		return viewMember(m, roles, factors, now)
	}), err
}

// matches reports whether the member matches all filters. A member whose invitation is not
// accepted has no user, and so matches no filter of users.
func (r listMembersRequest) matches(m member.Member, now time.Time) bool {
	ofUser := !m.Invited() && (r.UserID == "" || strings.EqualFold(m.User(), r.UserID)) &&
		(len(r.UserTypes) == 0 || slices.Contains(r.UserTypes, string(m.Type)))
	return strings.HasPrefix(m.Address(), member.Address(string(r.Email))) &&
		(ofUser || r.UserID == "" && len(r.UserTypes) == 0) &&
		(r.Status == "" || r.Status == string(m.Status(now))) && hasAny(m, r.Roles)
}

// hasAny reports whether the member has one of the roles, or roles is empty.
func hasAny(m member.Member, roles []string) bool {
	return len(roles) == 0 || slices.ContainsFunc(roles, func(id string) bool { return slices.Contains(m.Roles, id) })
}

// memberPath names a member.
type memberPath struct {
	ID string `path:"member_id"`
}

// errNoMember is the failure for another merchant's members, too.
var errNoMember = failure.NotFound("There is no such member.")

// check refuses a member with another id than the path's: two ids may have the same number.
func (p memberPath) check(m member.Member) error {
	if m.ID != p.ID {
		return errNoMember
	}
	return nil
}

func (f family) retrieveMember(ctx context.Context, req memberPath) (memberView, error) {
	m, roles, err := f.store.MemberWithRoles(ctx, rest.Caller(ctx).Tenant, member.NumberOf(req.ID))
	if err == nil {
		err = req.check(m)
	}
	if err != nil {
		return memberView{}, err
	}
	factors, err := f.factors(ctx, m)
	return viewMember(m, roles, factors, f.store.Now()), err
}
