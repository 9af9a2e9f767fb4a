package members

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type listMembershipsRequest struct {
	rest.Paging
	Kind       string   `query:"kind" validate:"one-of=merchant|organization"`
	Status     string   `query:"status" validate:"one-of=accepted|pending|expired|disabled|unknown"`
	Type       string   `query:"resource.type" validate:"one-of=merchant|organization"`
	ID         string   `query:"resource.id"`
	Name       string   `query:"resource.name"` // a prefix
	Sandbox    *bool    `query:"resource.attributes.sandbox"`
	ParentID   *string  `query:"resource.parent.id"`
	ParentType *string  `query:"resource.parent.type" validate:"one-of=merchant|organization|null"`
	Roles      []string `query:"roles" validate:"items=124 text=64"` // memberships with any of the roles
}

// resourceType is the type of every resource, because there are no organizations.
const resourceType = "merchant"

// noParent is the filter value for resources without a parent.
const noParent = "null"

type membershipView struct {
	ID          string                `json:"id"`
	ResourceID  string                `json:"resource_id"`
	Type        string                `json:"type"`
	Roles       []string              `json:"roles"`
	Permissions []identity.Permission `json:"permissions"`
	Status      member.Status         `json:"status"`
	CreatedAt   rest.Timestamp        `json:"created_at"`
	UpdatedAt   rest.Timestamp        `json:"updated_at"`
	Resource    resourceView          `json:"resource"`
}

type resourceView struct {
	ID         string             `json:"id"`
	Type       string             `json:"type"`
	Name       string             `json:"name"`
	CreatedAt  rest.Timestamp     `json:"created_at"`
	UpdatedAt  rest.Timestamp     `json:"updated_at"`
	Attributes resourceAttributes `json:"attributes"`
}

type resourceAttributes struct {
	Sandbox bool `json:"sandbox"`
}

// listMemberships lists the memberships of the caller's user in the caller's mode. For a caller without a user, such as
// an API key, it lists only the owner's membership of the caller's merchant.
func (f family) listMemberships(ctx context.Context, req listMembershipsRequest) (rest.Listing[membershipView], error) {
	if (req.ParentID == nil) != (req.ParentType == nil) {
		return rest.Listing[membershipView]{}, failure.Invalid("resource.parent.id",
			"and resource.parent.type must be sent together")
	}
	all, err := f.findMemberships(ctx)
	now := f.store.Now()
	found := slices.DeleteFunc(all, func(m store.Membership) bool { return !req.matches(m, now) })
	return rest.PageOf(req.Paging, found, func(m store.Membership) membershipView { return viewMembership(m, now) }), err
}

func (f family) findMemberships(ctx context.Context) ([]store.Membership, error) {
	p := rest.Caller(ctx)
	m, err := f.findPerson(ctx, p)
	if err != nil {
		return nil, err
	}
	if m.UserID != "" && p.IsPerson() {
		return f.store.Memberships(ctx, m.UserID, p.Tenant.Mode)
	}
	roles, err := f.store.RolesOf(ctx, p.Tenant, m) // managed users and keys belong to one merchant
	return []store.Membership{{Tenant: p.Tenant, Member: m, Roles: roles, Merchant: rest.Merchant(ctx)}}, err
}

// findPerson returns the caller's member, or the merchant's first owner if the caller is not a person.
func (f family) findPerson(ctx context.Context, p identity.Principal) (member.Member, error) {
	if p.IsPerson() {
		return f.store.Member(ctx, p.Tenant, member.NumberOf(p.Actor.ID))
	}
	first, err := f.store.Member(ctx, p.Tenant, member.NumberOf(member.OwnerID(p.Tenant)))
	if err == nil && first.Governs() {
		return first, nil
	}
	if err != nil && !failure.Is(err, failure.KindNotFound) {
		return first, err
	}
	all, err := f.store.Members(ctx, p.Tenant)
	i := slices.IndexFunc(all, member.Member.Governs)
	if err == nil && i < 0 {
		err = errNoMember // every merchant has an owner
	}
	if err != nil {
		return member.Member{}, err
	}
	return all[i], nil
}

// matches returns true if the membership matches all filters. No merchant has a parent.
func (r listMembershipsRequest) matches(m store.Membership, now time.Time) bool {
	for _, asked := range []string{r.Kind, r.Type} {
		if asked != "" && asked != resourceType {
			return false
		}
	}
	return (r.ParentID == nil || *r.ParentID == noParent && *r.ParentType == noParent) &&
		(r.ID == "" || r.ID == m.Merchant.Code) &&
		(r.Status == "" || r.Status == string(m.Member.Status(now))) &&
		(r.Sandbox == nil || *r.Sandbox == m.Merchant.Sandbox) &&
		strings.HasPrefix(strings.ToLower(m.Merchant.Name), strings.ToLower(r.Name)) && hasAnyRole(m.Member, r.Roles)
}

func viewMembership(m store.Membership, now time.Time) membershipView {
	v := viewMember(m.Member, m.Roles, nil, now)
	changed := m.Merchant.UpdatedAt
	if changed.IsZero() {
		changed = m.Merchant.CreatedAt
	}
	return membershipView{ID: v.ID, ResourceID: m.Merchant.Code, Type: resourceType, Roles: v.Roles,
		Permissions: v.Permissions, Status: v.Status, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
		Resource: resourceView{ID: m.Merchant.Code, Type: resourceType, Name: m.Merchant.Name,
			CreatedAt: rest.Timestamp(m.Merchant.CreatedAt), UpdatedAt: rest.Timestamp(changed),
			Attributes: resourceAttributes{m.Merchant.Sandbox}}}
}
