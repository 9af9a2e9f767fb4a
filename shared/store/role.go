package store

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

type deletedRole struct {
	deletion
	Role member.Role `dynamo:"role"`
}

// Roles reads the roles that a tenant has defined, consistently. There may be none.
func (s *View) Roles(ctx context.Context, t identity.Tenant) (member.Roles, error) {
	return readOne[member.Roles](ctx, s, rolesKey(t), nil)
}

// RolesOf returns the roles that determine the members' permissions. It reads them only if a member has a role that the
// tenant defined.
func (s *View) RolesOf(ctx context.Context, t identity.Tenant, members ...member.Member) (member.Roles, error) {
	if !slices.ContainsFunc(members, member.Member.HasOwnRole) {
		return member.Roles{}, nil
	}
	return s.Roles(ctx, t)
}

// readRolesAndDeletion reads Roles and the record of the role's deletion, which is zero if there is none.
func (s *View) readRolesAndDeletion(ctx context.Context, t identity.Tenant, id string) (member.Roles, deletedRole,
	error) {
	var roles member.Roles
	var deleted deletedRole
	err := s.readInto(ctx, map[key]any{rolesKey(t): &roles, deletionKey(KindRoles, t, id): &deleted})
	return roles, deleted, err
}

// CreateRole stores the role that an operation makes, unless check refuses. The role's id follows from the operation.
// Repeated by the same operation, it returns the stored role, even a deleted one. Failure: Conflict at the limit.
func (s *Store) CreateRole(ctx context.Context, by audit.By, t identity.Tenant, role member.Role,
	check func() error) (member.Role, error) {
	return retryAs(ctx, by, s.View, func() (member.Role, error) {
		roles, deleted, err := s.readRolesAndDeletion(ctx, t, role.ID)
		if err != nil {
			return role, err
		}
		if deleted.Role.ID != "" {
			return deleted.Role, nil
		}
		if stored, known := roles.Find(role.ID); known {
			return stored, nil
		}
		next, err := roles.With(role)
		if err = errors.Join(err, check()); err != nil {
			return role, err
		}
		tx := s.newAuditedTx(by)
		tx.audit(t, subjectRole(role), nil, role.ForAudit())
		return role, tx.replaceRoles(ctx, t, next)
	})
}

// UpdateRole applies a change to a role. A change without effect writes nothing. Failures: NotFound; Invalid for a
// predefined role; ErrContended; those of change.
func (s *Store) UpdateRole(ctx context.Context, by audit.By, t identity.Tenant, id string,
	change func(member.Role) (member.Role, error)) (member.Role, error) {
	return retryAs(ctx, by, s.View, func() (member.Role, error) {
		roles, err := s.Roles(ctx, t)
		if err != nil {
			return member.Role{}, err
		}
		var before, after member.Role
		next, err := roles.Changed(id, func(role member.Role) (member.Role, error) {
			before = role
			after, err = change(role)
			if err == nil && !reflect.DeepEqual(before, after) {
				after.UpdatedAt = s.now()
			}
			return after, err
		})
		if err != nil || reflect.DeepEqual(before, after) {
			return before, err
		}
		tx := s.newAuditedTx(by)
		tx.audit(t, subjectRole(after), before.ForAudit(), after.ForAudit())
		return after, tx.replaceRoles(ctx, t, next)
	})
}

// DeleteRole deletes a role, unless check refuses. The same operation may be repeated. Failures: NotFound; Invalid for
// a predefined role and for a role that members have.
func (s *Store) DeleteRole(ctx context.Context, by audit.By, t identity.Tenant, id, operation string,
	check func(member.Role) error) error {
	return retryWriteAs(ctx, by, s.View, func() error {
		roles, deleted, err := s.readRolesAndDeletion(ctx, t, id)
		if err != nil || deleted.Role.ID != "" && deleted.Operation == operation {
			return err
		}
		next, err := roles.Without(id)
		if err != nil {
			return err
		}
		role, _ := roles.Find(id)
		if err := check(role); err != nil {
			return err
		}
		tx := s.newAuditedTx(by)
		tx.Put(s.table.Put(deletedRole{newDeletion(deletionKey(KindRoles, t, id), operation, s.now()), role}))
		tx.audit(t, subjectRole(role), role.ForAudit(), nil)
		return tx.replaceRoles(ctx, t, next)
	})
}

func subjectRole(r member.Role) string { return "role " + r.ID }

// replaceRoles writes the transaction with the roles, in place of the version that was read. Error: ErrStale when the
// roles changed meanwhile.
func (tx *auditedTx) replaceRoles(ctx context.Context, t identity.Tenant, next member.Roles) error {
	item := tx.putRoles(t, next)
	tx.requireCaller(itemVersion{item.key, next.Version})
	return tx.runReplacement(ctx, item, ErrStale)
}

// putRoles adds the roles, in place of the version that was read. All roles of a tenant are one item, so one condition
// prevents the deletion of a role while a member gets it.
func (tx *auditedTx) putRoles(t identity.Tenant, next member.Roles) storedItem {
	next.Version++
	item := newItem(rolesKey(t), next, next.Version)
	tx.Put(tx.store.replace(item))
	return item
}

// countRoles adds the roles with their new numbers of members to a change of a member's roles. Roles that the tenant
// defined must be unchanged since they were read. It returns the item versions that the transaction now requires.
func (tx *auditedTx) countRoles(t identity.Tenant, roles member.Roles, before, after member.Member) []itemVersion {
	k := rolesKey(t)
	next, changed := roles.Counted(before, after)
	switch {
	case changed:
		tx.putRoles(t, next)
	case roles.Version > 0 && (before.HasOwnRole() || after.HasOwnRole()):
		tx.Check(tx.store.check(k).If("version = ?", roles.Version))
	default:
		return nil
	}
	return []itemVersion{{k, roles.Version}}
}
