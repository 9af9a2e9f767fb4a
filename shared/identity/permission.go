package identity

// Permission is a right that a role gives its members (contract §8.1).
type Permission string

// The permissions.
const (
	MembersRead                Permission = "members_read"
	MembersWrite               Permission = "members_write"
	CreateMOTOPayments         Permission = "create_moto_payments"
	FullTransactionHistoryView Permission = "full_transaction_history_view"
	RefundTransactions         Permission = "refund_transactions"
	CreateReferral             Permission = "create_referral"
	DeveloperSettingsWrite     Permission = "developer_settings_write"
	DeveloperSettingsRead      Permission = "developer_settings_read"
)

// AllPermissions returns all permissions, which owners and administrators have.
func AllPermissions() []Permission {
	return []Permission{MembersRead, MembersWrite, CreateMOTOPayments, FullTransactionHistoryView, RefundTransactions,
		CreateReferral, DeveloperSettingsWrite, DeveloperSettingsRead}
}

// administers returns true if the permission is an administrator's: about members or keys.
func (p Permission) administers() bool {
	switch p {
	case MembersRead, MembersWrite, DeveloperSettingsRead, DeveloperSettingsWrite:
		return true
	default:
		return false
	}
}
