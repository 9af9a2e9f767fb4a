package member

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// MaxRoles limits the number of a tenant's own roles. All roles are in one item, which each request of a person reads.
const MaxRoles = 100

// maxRoleTexts limits all names, descriptions and metadata together, in bytes. An item can have 400 KB, but a larger
// item costs more.
const maxRoleTexts = 64 * 1024

// The ids of the predefined roles (contract §8.1).
const (
	RoleOwner      = "role_owner"
	RoleAdmin      = "role_admin"
	RoleAccountant = "role_accountant"
	RoleEmployee   = "role_employee"
)

// Role is a named set of permissions for members. A managed user may have other permissions besides those of its roles.
type Role struct {
	ID          string                `dynamo:"id"` // role_ and 26 characters, or a predefined id
	Name        string                `dynamo:"name"`
	Description string                `dynamo:"description,omitempty"` // "": none
	Permissions []identity.Permission `dynamo:"permissions,set,omitempty"`
	Metadata    Metadata              `dynamo:"metadata,omitempty"`
	Members     int                   `dynamo:"members,omitempty"` // members with the role, including invited members
	CreatedAt   time.Time             `dynamo:"created_at"`        // zero if predefined
	UpdatedAt   time.Time             `dynamo:"updated_at"`
}

// Predefined returns true if the role is the same for all tenants.
func (r Role) Predefined() bool {
	return slices.ContainsFunc(predefined, func(p Role) bool { return p.ID == r.ID })
}

var predefined = []Role{
	{ID: RoleOwner, Name: "Owner", Permissions: identity.AllPermissions()},
	{ID: RoleAdmin, Name: "Administrator", Permissions: identity.AllPermissions()},
	{ID: RoleAccountant, Name: "Accountant",
		Permissions: []identity.Permission{identity.FullTransactionHistoryView}},
	{ID: RoleEmployee, Name: "Employee"},
}

// Roles are a tenant's roles. They are stored in one item, so that no role can be deleted while a member gets it.
type Roles struct {
	Own     []Role `dynamo:"roles,omitempty"` // oldest first
	Version int    `dynamo:"version"`         // of the stored item; 0: not stored yet
}

// All returns the predefined roles, then the tenant's own.
func (r Roles) All() []Role { return slices.Concat(predefined, r.Own) }

// Find returns the role with the id.
func (r Roles) Find(id string) (Role, bool) {
	for _, roles := range [][]Role{predefined, r.Own} {
		if i := indexOf(roles, id); i >= 0 {
			return roles[i], true
		}
	}
	return Role{}, false
}

func indexOf(roles []Role, id string) int {
	return slices.IndexFunc(roles, func(r Role) bool { return r.ID == id })
}

// CheckKnown refuses an id that no role has. Failure: Invalid.
func (r Roles) CheckKnown(ids []string) error {
	for _, id := range ids {
		if _, known := r.Find(id); !known {
			return failure.Invalid("roles", "must be ids of roles of the merchant")
		}
	}
	return nil
}

var (
	errNoRole       = failure.NotFound("There is no such role.")
	errPredefined   = failure.Invalid("", "A predefined role cannot be changed.")
	errRoleInUse    = failure.Invalid("", "The role is in use: members have it.")
	errTooManyRoles = failure.Conflict("The merchant has as many roles as it can have.")
	errRolesTooLong = failure.Conflict("The texts and metadata of the merchant's roles are too long together.")
)

// With returns the roles with another role. Failure: Conflict at the limits.
func (r Roles) With(role Role) (Roles, error) {
	if len(r.Own) >= MaxRoles {
		return r, errTooManyRoles
	}
	r.Own = append(slices.Clone(r.Own), role)
	return r, r.checkTexts()
}

// checkTexts refuses roles whose texts are too long together. Failure: Conflict.
func (r Roles) checkTexts() error {
	size := 0
	for _, role := range r.Own {
		size += len(role.Name) + len(role.Description) + len(role.Metadata)
	}
	if size > maxRoleTexts {
		return errRolesTooLong
	}
	return nil
}

// Changed returns the roles after change has changed the role with the id. Failures: NotFound; Invalid if the role is
// predefined; Conflict if the texts are too long; those of change.
func (r Roles) Changed(id string, change func(Role) (Role, error)) (Roles, error) {
	i, err := r.findOwn(id)
	if err != nil {
		return r, err
	}
	role, err := change(r.Own[i])
	if err != nil {
		return r, err
	}
	r.Own = slices.Clone(r.Own)
	r.Own[i] = role
	return r, r.checkTexts()
}

// Without returns the roles without the role. Failures: NotFound; Invalid if the role is predefined or members have it.
func (r Roles) Without(id string) (Roles, error) {
	i, err := r.findOwn(id)
	if err == nil && r.Own[i].Members > 0 {
		err = errRoleInUse
	}
	if err != nil {
		return r, err
	}
	r.Own = slices.Delete(slices.Clone(r.Own), i, i+1)
	return r, nil
}

func (r Roles) findOwn(id string) (int, error) {
	i := indexOf(r.Own, id)
	switch {
	case i >= 0:
		return i, nil
	case indexOf(predefined, id) >= 0:
		return i, errPredefined
	default:
		return i, errNoRole
	}
}

// Counted returns the roles with the numbers of members after a change from before to after. changed is true if a
// number differs. before or after may be zero.
func (r Roles) Counted(before, after Member) (next Roles, changed bool) {
	next = Roles{Own: slices.Clone(r.Own), Version: r.Version}
	for i, role := range next.Own {
		had, has := slices.Contains(before.Roles, role.ID), slices.Contains(after.Roles, role.ID)
		switch {
		case has && !had:
			next.Own[i].Members++
			changed = true
		case had && !has:
			next.Own[i].Members--
			changed = true
		}
	}
	return next, changed
}

// HasOwnRole returns true if the member has a role that the tenant made.
func (m Member) HasOwnRole() bool {
	return slices.ContainsFunc(m.Roles, func(id string) bool { return indexOf(predefined, id) < 0 })
}

// RoleID returns the id of the role that an operation makes. A repeated operation gets the same id.
func RoleID(operation string) string { return identity.DerivedID("role_", "role\x00"+operation) }
