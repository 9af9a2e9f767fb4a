package identity

import "slices"

// operationScopes are the scopes that operations need (contract §1). Each line has an old scope and its granular
// successors. Either the old scope or a successor suffices.
var operationScopes = []string{
	"payments", "checkouts.read", "checkouts.write", "refunds.write",
	"payment_instruments", "customers.read", "customers.write",
	"transactions.history", "transactions.read", "receipts.read",
	"user.profile", "user.profile_readonly", "payouts.read",
	"user.payout-settings", "user.app-settings",
	"user.subaccounts", "members.read", "members.write", "roles.read", "roles.write",
	"api_keys", "api_keys:write",
	"files.read", "files.write",
	"readers.read", "readers.write", "terminals.read", "terminals.write",
}

// scopes are all scope names (contract §1, §2.1). Requests may name the scopes in the last line, but no operation needs
// them.
var scopes = append(slices.Clone(operationScopes),
	"products", "invoices.read", "invoices.write", "accounting.read", "accounting.write", "email")

// profileAlias is the name that clients use for the scope to read the merchant (contract §2.1).
const profileAlias = "profile"

// AllScopes returns all scopes, which a merchant's first key has.
func AllScopes() []string { return slices.Clone(scopes) }

// ParseScope returns the scope with a client's name or alias. It returns false for an unknown name.
func ParseScope(name string) (string, bool) {
	if name == profileAlias {
		name = "user.profile_readonly"
	}
	return name, slices.Contains(scopes, name)
}
