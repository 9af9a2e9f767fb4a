package member

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/optional"
)

// The ids of the predefined roles (contract §8.1).
const (
	RoleOwner      = "role_owner"
	RoleAdmin      = "role_admin"
	RoleAccountant = "role_accountant"
	RoleEmployee   = "role_employee"
)

// predefined are the permissions of the predefined roles.
var predefined = map[string][]identity.Permission{
	RoleOwner:      identity.AllPermissions(),
	RoleAdmin:      identity.AllPermissions(),
	RoleAccountant: {identity.FullTransactionHistoryView},
	RoleEmployee:   nil,
}

// Permissions are an account's, as contract §7.1 and §7.4 show them.
type Permissions struct {
	Admin                      bool `dynamo:"admin,omitempty" json:"admin"`
	CreateMOTOPayments         bool `dynamo:"create_moto_payments,omitempty" json:"create_moto_payments"`
	FullTransactionHistoryView bool `dynamo:"full_transaction_history_view,omitempty" json:"full_transaction_history_view"`
	RefundTransactions         bool `dynamo:"refund_transactions,omitempty" json:"refund_transactions"`
	CreateReferral             bool `dynamo:"create_referral,omitempty" json:"create_referral"`
}

// Granted are the permissions that the member has: a managed user's own, whatever the
// role (contract §13.9); else those of the roles, where who may write members is an
// administrator.
func (m Member) Granted() Permissions {
	if m.Type == TypeManaged {
		return m.Permissions
	}
	has := func(p identity.Permission) bool {
		return slices.ContainsFunc(m.Roles, func(role string) bool { return slices.Contains(predefined[role], p) })
	}
	return Permissions{Admin: has(identity.MembersWrite), CreateMOTOPayments: has(identity.CreateMOTOPayments),
		FullTransactionHistoryView: has(identity.FullTransactionHistoryView), RefundTransactions: has(identity.RefundTransactions),
		CreateReferral: has(identity.CreateReferral)}
}

// PermissionsChange is what a request says about an account's permissions: those that
// it leaves out, or gives as null, stay.
type PermissionsChange struct {
	Admin                      optional.Of[bool] `json:"admin"`
	CreateMOTOPayments         optional.Of[bool] `json:"create_moto_payments"`
	FullTransactionHistoryView optional.Of[bool] `json:"full_transaction_history_view"`
	RefundTransactions         optional.Of[bool] `json:"refund_transactions"`
	CreateReferral             optional.Of[bool] `json:"create_referral"`
}

// Apply is p with the change; a nil change changes nothing.
func (c *PermissionsChange) Apply(p Permissions) Permissions {
	if c == nil {
		return p
	}
	return Permissions{
		Admin:                      c.Admin.Or(p.Admin),
		CreateMOTOPayments:         c.CreateMOTOPayments.Or(p.CreateMOTOPayments),
		FullTransactionHistoryView: c.FullTransactionHistoryView.Or(p.FullTransactionHistoryView),
		RefundTransactions:         c.RefundTransactions.Or(p.RefundTransactions),
		CreateReferral:             c.CreateReferral.Or(p.CreateReferral),
	}
}
