package members

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createMemberRequest has no attributes: merchants cannot set them (contract §8.1).
type createMemberRequest struct {
	Email    string          `json:"email" validate:"required text=256 email"`
	Roles    []string        `json:"roles" validate:"required items=124 text=64"`
	Managed  bool            `json:"is_managed_user"`
	Nickname string          `json:"nickname" validate:"text=64"`         // for managed users only
	Password *secret.Text    `json:"password" validate:"text=256 min=12"` // for managed users only
	Metadata member.Metadata `json:"metadata"`
}

var errNoRoles = failure.Invalid("roles", "must not be empty")

// createMember invites a person, or creates a managed user, who is a member at once. A repetition under the
// Idempotency-Key returns the member that the first request created.
func (f family) createMember(ctx context.Context, req createMemberRequest) (memberView, error) {
	switch {
	case len(req.Roles) == 0:
		return memberView{}, errNoRoles
	case req.Managed && req.Password == nil:
		return memberView{}, failure.Missing("password")
	}
	p, operation := rest.Caller(ctx), rest.OperationID(ctx)
	var password *store.NewPassword
	if req.Managed {
		password = f.store.PasswordOf(p.Tenant, operation, *req.Password)
	}
	m, err := f.store.CreateMember(ctx, rest.By(ctx), p.Tenant, member.Address(req.Email), operation,
		func(id string, roles member.Roles) (member.Member, error) {
			if err := roles.CheckKnown(req.Roles); err != nil {
				return member.Member{}, err
			}
			m := f.newMember(id, req, operation)
			err := member.CheckMayChange(p, member.Member{}, m, roles)
			if err == nil && req.Managed {
				m.Passwords, err = password.Set(ctx, nil)
			}
			return m, err
		})
	if errors.Is(err, store.ErrAddressTaken) {
		err = failure.Invalid("email", "belongs to a member or to an open invitation")
	}
	return f.show(ctx, p.Tenant, m, member.RefusedPassword("password", err))
}

func (f family) newMember(id string, req createMemberRequest, operation string) member.Member {
	roles := unique(req.Roles)
	if !req.Managed {
		return member.NewInvited(id, member.Invitation{Email: req.Email, Roles: roles, Metadata: req.Metadata}, operation,
			f.token, f.store.Now())
	}
	m := member.NewEmployee(id, member.Registration{Email: req.Email, Nickname: req.Nickname}, nil, f.store.Now())
	m.Roles, m.Metadata = roles, req.Metadata
	return m
}

// unique returns the texts, sorted and without duplicates.
func unique(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

// show returns the member's view, or err.
func (f family) show(ctx context.Context, t identity.Tenant, m member.Member, err error) (memberView, error) {
	if err != nil {
		return memberView{}, err
	}
	roles, err := f.store.RolesOf(ctx, t, m)
	if err != nil {
		return memberView{}, err
	}
	factors, err := f.readFactors(ctx, m)
	return viewMember(m, roles, factors, f.store.Now()), err
}

type updateMemberRequest struct {
	memberPath
	Roles    *[]string        `json:"roles" validate:"items=124 text=64"`
	Metadata *member.Metadata `json:"metadata"` // replaced, not merged
	User     *struct {
		Nickname *string      `json:"nickname" validate:"text=64"`
		Password *secret.Text `json:"password" validate:"text=256 min=12"`
	} `json:"user"`
}

// updateMember overwrites the fields that are sent. Nickname and password apply to managed users only. They are ignored
// for other users, and refused for a member without a user yet.
func (f family) updateMember(ctx context.Context, req updateMemberRequest) (memberView, error) {
	if req.Roles != nil && len(*req.Roles) == 0 {
		return memberView{}, errNoRoles
	}
	p, operation := rest.Caller(ctx), rest.OperationID(ctx)
	var password *store.NewPassword
	if req.User != nil && req.User.Password != nil {
		password = f.store.PasswordOf(p.Tenant, operation, *req.User.Password)
	}
	m, err := f.store.UpdateMember(ctx, rest.By(ctx), p.Tenant, member.NumberOf(req.ID), "", member.EndKeys,
		func(m member.Member, roles member.Roles) (member.Member, error) {
			if err := req.check(m); err != nil {
				return m, err
			}
			if password != nil && m.Passwords.SetBy(operation) {
				return m, nil // a repeated request: the first request set the password and made the whole update
			}
			after, err := req.apply(m, roles)
			if err == nil {
				err = member.CheckMayChange(p, m, after, roles)
			}
			if err == nil && password != nil && m.Type == member.TypeManaged {
				after.Passwords, err = password.Set(ctx, m.Passwords)
			}
			return after, err
		})
	if errors.Is(err, member.ErrUsedBefore) {
		err = failure.Denied("The password is one of the member's last four.")
	}
	return f.show(ctx, p.Tenant, m, member.RefusedPassword("user.password", err))
}

// apply returns the member with the changes of the request, except for the password. Failures: Invalid.
func (r updateMemberRequest) apply(m member.Member, roles member.Roles) (member.Member, error) {
	if r.Roles != nil {
		if err := roles.CheckKnown(*r.Roles); err != nil {
			return m, err
		}
		if wanted := unique(*r.Roles); !slices.Equal(wanted, unique(m.Roles)) {
			m.Roles = wanted
		}
	}
	if r.Metadata != nil {
		m.Metadata = *r.Metadata
	}
	switch {
	case r.User == nil:
	case m.Invited():
		return m, failure.Invalid("user", "must be absent until the invitation is accepted")
	case m.Type == member.TypeManaged && r.User.Nickname != nil:
		m.Nickname = *r.User.Nickname
	}
	return m, nil
}

type deleteMemberRequest struct {
	memberPath
	member.KeysChoice
}

// deleteMember removes a member or withdraws an invitation. The member's address can then be used again.
func (f family) deleteMember(ctx context.Context, req deleteMemberRequest) (rest.Empty, error) {
	p := rest.Caller(ctx)
	m, err := f.store.DeleteMember(ctx, rest.By(ctx), p.Tenant, member.NumberOf(req.ID), rest.OperationID(ctx),
		req.Or(rest.Merchant(ctx).Settings.Of(p.Tenant.Mode).KeepKeys),
		func(m member.Member, roles member.Roles) error {
			if err := req.check(m); err != nil {
				return err
			}
			return member.CheckMayChange(p, m, member.Member{}, roles)
		})
	if err == nil {
		err = req.check(m)
	}
	return rest.Empty{}, err
}

// listMembersRequest has filters, which must all match. scroll has no effect: each response has the number of all
// members found.
type listMembersRequest struct {
	rest.Paging
	Scroll    bool       `query:"scroll"`
	Email     rest.Email `query:"email"` // a prefix
	UserID    string     `query:"user.id" validate:"pattern=^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"`
	UserTypes []string   `query:"user.type" validate:"one-of=user|managed_user|service_account|system_account"`
	Status    string     `query:"status" validate:"one-of=accepted|pending|expired|disabled|unknown"`
	Roles     []string   `query:"roles" validate:"items=124 text=64"` // members with any of the roles
}

// listMembers lists the members who match all filters, oldest first.
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
	factors, err := f.readFactors(ctx, found[from:to]...)
	return rest.PageOf(req.Paging, found, func(m member.Member) memberView {
		return viewMember(m, roles, factors, now)
	}), err
}

// matches returns true if the member matches all filters. A member has no user until the invitation is accepted, so no
// filter of users matches before then.
func (r listMembersRequest) matches(m member.Member, now time.Time) bool {
	ofUser := !m.Invited() && (r.UserID == "" || strings.EqualFold(m.User(), r.UserID)) &&
		(len(r.UserTypes) == 0 || slices.Contains(r.UserTypes, string(m.Type)))
	return strings.HasPrefix(m.Address(), member.Address(string(r.Email))) &&
		(ofUser || r.UserID == "" && len(r.UserTypes) == 0) &&
		(r.Status == "" || r.Status == string(m.Status(now))) && hasAnyRole(m, r.Roles)
}

// hasAnyRole returns true if the member has one of the roles, or roles is empty.
func hasAnyRole(m member.Member, roles []string) bool {
	return len(roles) == 0 || slices.ContainsFunc(roles, func(id string) bool { return slices.Contains(m.Roles, id) })
}

type memberPath struct {
	ID string `path:"member_id"`
}

// errNoMember is also the failure for members of other merchants.
var errNoMember = failure.NotFound("There is no such member.")

// check refuses a member whose id differs from the id in the path. Members are found by the number of their id, and two
// ids may have the same number (member.NumberOf).
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
	factors, err := f.readFactors(ctx, m)
	return viewMember(m, roles, factors, f.store.Now()), err
}
