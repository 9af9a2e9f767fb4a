package identity

import "slices"

// Guard describes routes that need one of the scopes, and from persons also the permission. Without the permission,
// some of these routes still show a part of their content.
type Guard struct {
	Permission Permission
	Scopes     []string
}

// Guards lists the guards of all routes. A test compares the list with the routes. Guards connect scopes with
// permissions. Without them a principal could evade a permission by giving a scope to a key, or evade a scope by giving
// a permission to a member.
var Guards = []Guard{
	{RefundTransactions, []string{"payments", "refunds.write"}},
	{FullTransactionHistoryView, []string{"payments", "checkouts.read"}},
	{FullTransactionHistoryView, []string{"payments", "checkouts.write"}},
	{FullTransactionHistoryView, []string{"payments", "refunds.write"}},
	{FullTransactionHistoryView, []string{"transactions.history", "transactions.read"}},
	{FullTransactionHistoryView, []string{"readers.read"}},
	{FullTransactionHistoryView, []string{"readers.write"}},
	{FullTransactionHistoryView, []string{"readers.write", "terminals.write"}},
	{FullTransactionHistoryView, []string{"receipts.read", "transactions.read", "transactions.history", "payments"}},
	{FullTransactionHistoryView, []string{"user.profile", "user.profile_readonly"}},
	{FullTransactionHistoryView, []string{"user.profile", "user.profile_readonly", "payouts.read"}},
	{FullTransactionHistoryView, []string{"user.payout-settings"}},
	{FullTransactionHistoryView, []string{"user.payout-settings", "user.profile", "user.profile_readonly"}},
	{CreateMOTOPayments, []string{"payment_instruments", "customers.read"}},
	{CreateMOTOPayments, []string{"payment_instruments", "customers.write"}},
	{CreateMOTOPayments, []string{"payments", "checkouts.read"}},
	{CreateMOTOPayments, []string{"payments", "checkouts.write"}},
	{MembersRead, []string{"user.profile", "user.profile_readonly"}},
	{MembersRead, []string{"user.subaccounts"}},
	{MembersRead, []string{"user.subaccounts", "members.read"}},
	{MembersRead, []string{"user.subaccounts", "roles.read"}},
	{MembersWrite, []string{"user.subaccounts"}},
	{MembersWrite, []string{"user.subaccounts", "members.write"}},
	{MembersWrite, []string{"user.subaccounts", "roles.write"}},
	{MembersWrite, []string{"user.payout-settings"}},
	{DeveloperSettingsRead, []string{"api_keys", "api_keys:write"}},
	{DeveloperSettingsWrite, []string{"api_keys:write"}},
}

// MayGiveScope returns true if the principal may give the scope to a key. The principal must have the scope. A person
// also needs every permission of a route with that scope, because a key needs no permissions.
func (p Principal) MayGiveScope(scope string) bool { return len(p.lacksForScope(scope)) == 0 }

// lacksForScope returns the rights that the principal lacks to give the scope.
func (p Principal) lacksForScope(scope string) (lacks []Lack) {
	if all, decided := p.commonLacks(); decided {
		return all
	}
	if !slices.Contains(p.Scopes, scope) {
		lacks = append(lacks, LackOfScope(scope))
	}
	for _, g := range Guards {
		if p.IsPerson() && slices.Contains(g.Scopes, scope) && !slices.Contains(p.Permissions, g.Permission) {
			lacks = append(lacks, LackOfPermission(g.Permission))
		}
	}
	return lacks
}

// MayGivePermission returns true if the principal may give the permission to a member. The principal's scopes must open
// every route that needs the permission, and a person must have the permission.
func (p Principal) MayGivePermission(permission Permission) bool {
	return len(p.LacksForPermission(permission)) == 0
}

// LacksForPermission returns the rights that the principal lacks to give the permission.
func (p Principal) LacksForPermission(permission Permission) (lacks []Lack) {
	if all, decided := p.commonLacks(); decided {
		return all
	}
	if p.IsPerson() && !slices.Contains(p.Permissions, permission) {
		lacks = append(lacks, LackOfPermission(permission))
	}
	for _, g := range Guards {
		if g.Permission == permission && !p.May(g.Scopes...) {
			lacks = append(lacks, LackOfScope(g.Scopes...))
		}
	}
	return lacks
}

// MayMakeOwner returns true if the principal may make, change and remove owners. The principal needs all scopes that an
// owner can use, and a person must be an owner.
func (p Principal) MayMakeOwner() bool { return len(p.LacksForOwner()) == 0 }

// LacksForOwner returns the rights that the principal lacks to make an owner.
func (p Principal) LacksForOwner() (lacks []Lack) {
	if all, decided := p.commonLacks(); decided {
		return all
	}
	for _, scope := range operationScopes {
		if !slices.Contains(p.Scopes, scope) {
			lacks = append(lacks, LackOfScope(scope))
		}
	}
	if p.IsPerson() && !p.Owner {
		lacks = append(lacks, lackOfOwnership)
	}
	return lacks
}
