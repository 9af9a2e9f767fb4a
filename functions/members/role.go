package members

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type listRolesView struct {
	Items []roleView `json:"items"`
}

// listRoles lists the predefined roles, then the merchant's roles, oldest first.
func (f family) listRoles(ctx context.Context, _ struct{}) (listRolesView, error) {
	roles, err := f.store.Roles(ctx, rest.Caller(ctx).Tenant)
	v := listRolesView{}
	for _, r := range roles.All() {
		v.Items = append(v.Items, viewRole(r, rest.Merchant(ctx).CreatedAt))
	}
	return v, err
}

type rolePath struct {
	ID string `path:"role_id"`
}

func (f family) retrieveRole(ctx context.Context, req rolePath) (roleView, error) {
	roles, err := f.store.Roles(ctx, rest.Caller(ctx).Tenant)
	if err != nil {
		return roleView{}, err
	}
	r, known := roles.Find(req.ID)
	if !known {
		return roleView{}, failure.NotFound("There is no such role.")
	}
	return viewRole(r, rest.Merchant(ctx).CreatedAt), nil
}

type createRoleRequest struct {
	Name        string                `json:"name" validate:"required text=255"`
	Permissions []identity.Permission `json:"permissions" validate:"required items=100 one-of=members_read|members_write|create_moto_payments|full_transaction_history_view|refund_transactions|create_referral|developer_settings_write|developer_settings_read"` //nolint:lll // a tag is one line
	Description string                `json:"description" validate:"lines=255"`
	Metadata    member.Metadata       `json:"metadata"`
}

var errNoPermissions = failure.Invalid("permissions", "must not be empty")

// createRole creates a role of the merchant. A repetition under the Idempotency-Key returns the role that the first
// request created.
func (f family) createRole(ctx context.Context, req createRoleRequest) (roleView, error) {
	if len(req.Permissions) == 0 {
		return roleView{}, errNoPermissions
	}
	p, now := rest.Caller(ctx), f.store.Now()
	role := member.Role{ID: member.RoleID(rest.OperationID(ctx)), Name: req.Name, Description: req.Description,
		Permissions: sortPermissions(req.Permissions), Metadata: req.Metadata, CreatedAt: now, UpdatedAt: now}
	stored, err := f.store.CreateRole(ctx, rest.By(ctx), p.Tenant, role,
		func() error { return member.CheckMayChangeRole(p, member.Role{}, role) })
	return viewRole(stored, now), err
}

type updateRoleRequest struct {
	rolePath
	Name        *string                `json:"name" validate:"text=255 min=1"`
	Permissions *[]identity.Permission `json:"permissions" validate:"items=100 one-of=members_read|members_write|create_moto_payments|full_transaction_history_view|refund_transactions|create_referral|developer_settings_write|developer_settings_read"` //nolint:lll // a tag is one line
	Description *string                `json:"description" validate:"lines=255"`
}

// updateRole overwrites the fields that are sent. The update takes effect from the next request of each member with the
// role.
func (f family) updateRole(ctx context.Context, req updateRoleRequest) (roleView, error) {
	if req.Permissions != nil && len(*req.Permissions) == 0 {
		return roleView{}, errNoPermissions
	}
	p := rest.Caller(ctx)
	role, err := f.store.UpdateRole(ctx, rest.By(ctx), p.Tenant, req.ID,
		func(before member.Role) (member.Role, error) {
			after := before
			if req.Name != nil {
				after.Name = *req.Name
			}
			if req.Permissions != nil {
				after.Permissions = sortPermissions(*req.Permissions)
			}
			if req.Description != nil {
				after.Description = *req.Description
			}
			return after, member.CheckMayChangeRole(p, before, after)
		})
	return viewRole(role, rest.Merchant(ctx).CreatedAt), err
}

func (f family) deleteRole(ctx context.Context, req rolePath) (rest.Empty, error) {
	p := rest.Caller(ctx)
	return rest.Empty{}, f.store.DeleteRole(ctx, rest.By(ctx), p.Tenant, req.ID, rest.OperationID(ctx),
		func(role member.Role) error {
			return member.CheckMayChangeRole(p, role, member.Role{})
		})
}
