package member

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/optional"
)

// Permissions are the permissions of an account as contract §7.1 and §7.4 show them.
type Permissions struct {
	Admin                      bool `dynamo:"admin,omitempty" json:"admin"`
	CreateMOTOPayments         bool `dynamo:"create_moto_payments,omitempty" json:"create_moto_payments"`
	FullTransactionHistoryView bool `dynamo:"full_transaction_history_view,omitempty" json:"full_transaction_history_view"`
	RefundTransactions         bool `dynamo:"refund_transactions,omitempty" json:"refund_transactions"`
	CreateReferral             bool `dynamo:"create_referral,omitempty" json:"create_referral"`
}

// adminPermissions are the permissions that an operator's admin includes (contract §8.1).
var adminPermissions = []identity.Permission{identity.MembersRead, identity.MembersWrite,
	identity.DeveloperSettingsRead, identity.DeveloperSettingsWrite}

// names returns the permissions in the terms of contract §8.1.
func (p Permissions) names() (all []identity.Permission) {
	if p.Admin {
		all = slices.Clone(adminPermissions)
	}
	for name, granted := range map[identity.Permission]bool{identity.CreateMOTOPayments: p.CreateMOTOPayments,
		identity.FullTransactionHistoryView: p.FullTransactionHistoryView,
		identity.RefundTransactions:         p.RefundTransactions, identity.CreateReferral: p.CreateReferral} {
		if granted {
			all = append(all, name)
		}
	}
	return all
}

// Permissions returns the member's permissions, in the order of identity.AllPermissions. They come from the roles, and
// for a managed user also from Own (contract §13.9). They count only while the member is active. This method does not
// check that.
func (m Member) Permissions(roles Roles) []identity.Permission {
	has := map[identity.Permission]bool{}
	if m.Type == TypeManaged {
		for _, one := range m.Own.names() {
			has[one] = true
		}
	}
	for _, id := range m.Roles {
		role, _ := roles.Find(id)
		for _, one := range role.Permissions {
			has[one] = true
		}
	}
	return slices.DeleteFunc(identity.AllPermissions(), func(one identity.Permission) bool { return !has[one] })
}

// Granted returns the member's permissions as contract §7.1 and §7.4 show them, with Admin for MembersWrite.
func (m Member) Granted(roles Roles) Permissions {
	all := m.Permissions(roles)
	has := func(one identity.Permission) bool { return slices.Contains(all, one) }
	return Permissions{Admin: has(identity.MembersWrite), CreateMOTOPayments: has(identity.CreateMOTOPayments),
		FullTransactionHistoryView: has(identity.FullTransactionHistoryView),
		RefundTransactions:         has(identity.RefundTransactions), CreateReferral: has(identity.CreateReferral)}
}

// PermissionsChange is a request's change of an account's permissions. Absent or null permissions stay.
type PermissionsChange struct {
	Admin                      optional.Of[bool] `json:"admin"`
	CreateMOTOPayments         optional.Of[bool] `json:"create_moto_payments"`
	FullTransactionHistoryView optional.Of[bool] `json:"full_transaction_history_view"`
	RefundTransactions         optional.Of[bool] `json:"refund_transactions"`
	CreateReferral             optional.Of[bool] `json:"create_referral"`
}

// Apply returns p with the change. A nil change changes nothing.
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
