package identity_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

func key(scopes ...string) identity.Principal {
	return identity.Principal{Actor: identity.Actor{Kind: identity.SecretKey}, Scopes: scopes}
}

func person(owner bool, permissions []identity.Permission, scopes ...string) identity.Principal {
	return identity.Principal{Actor: identity.Actor{Kind: identity.User}, Owner: owner, Permissions: permissions,
		Scopes: scopes}
}

func TestMayGive_Keys(t *testing.T) {
	t.Parallel()
	all := key(identity.AllScopes()...)
	for _, permission := range identity.AllPermissions() {
		if !all.MayGivePermission(permission) {
			t.Errorf("a key of all scopes and %s: got false, want true", permission)
		}
	}
	if !all.MayMakeOwner() || key("payments", "user.subaccounts").MayMakeOwner() {
		t.Error("only a key that may do everything may make owners")
	}
	members := key("members.write", "members.read")
	for permission, want := range map[identity.Permission]bool{identity.RefundTransactions: false,
		identity.MembersWrite: false, identity.DeveloperSettingsWrite: false, identity.CreateReferral: true} {
		if got := members.MayGivePermission(permission); got != want {
			t.Errorf("a key of members.write and %s: got %t, want %t", permission, got, want)
		}
	}
	if !members.MayGiveScope("members.write") || members.MayGiveScope("roles.write") {
		t.Error("a key may give exactly the scopes that it has")
	}
}

func TestMayGive_Persons(t *testing.T) {
	t.Parallel()
	developer := person(false, []identity.Permission{identity.DeveloperSettingsWrite}, identity.AllScopes()...)
	for scope, want := range map[string]bool{"refunds.write": false, "payments": false, "checkouts.write": false,
		"checkouts.read": false, "payment_instruments": false, "members.write": false, "user.payout-settings": false,
		"customers.read": false, "terminals.write": false, "api_keys:write": false, "terminals.read": true,
		"files.write": true} {
		if got := developer.MayGiveScope(scope); got != want {
			t.Errorf("a developer and %s: got %t, want %t", scope, got, want)
		}
	}
	owner := person(true, identity.AllPermissions(), identity.AllScopes()...)
	admin := person(false, identity.AllPermissions(), identity.AllScopes()...)
	if !owner.MayMakeOwner() || admin.MayMakeOwner() ||
		person(true, identity.AllPermissions(), "members.write").MayMakeOwner() {
		t.Error("only an owner whose token may do everything may make owners")
	}
}

// TestMayManage_OwnerMakingKey checks a key that can make owners. Only owners, and other keys that can make owners, may
// manage it.
func TestMayManage_OwnerMakingKey(t *testing.T) {
	t.Parallel()
	all := identity.AllScopes()
	full, fewer := identity.APIKey{Kind: identity.SecretKey, Scopes: all},
		identity.APIKey{Kind: identity.SecretKey, Scopes: all[1:]}
	for name, c := range map[string]struct {
		caller identity.Principal
		full   bool
	}{"owner": {person(true, identity.AllPermissions(), all...), true},
		"administrator": {person(false, identity.AllPermissions(), all...), false}, "key": {key(all...), true}} {
		if got := c.caller.MayManage(full); got != c.full || !c.caller.MayManage(fewer) {
			t.Errorf("%s: got %t for a key of all scopes, want %t, and true for one of fewer", name, got, c.full)
		}
	}
}

// TestMayGive_NoMoreThanGiver draws random principals. A principal may make a key or a member with rights. The key or
// member must not be able to use a route that the principal may not use.
func TestMayGive_NoMoreThanGiver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scopes := rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllScopes()), rapid.ID).Draw(t, "scopes")
		permissions := rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllPermissions()), rapid.ID).Draw(t, "permissions")
		giver := key(scopes...)
		if rapid.Bool().Draw(t, "person") {
			giver = person(rapid.Bool().Draw(t, "owner"), permissions, scopes...)
		}
		var givenScopes []string
		for _, s := range identity.AllScopes() {
			if giver.MayGiveScope(s) {
				givenScopes = append(givenScopes, s)
			}
		}
		var givenPermissions []identity.Permission
		for _, p := range identity.AllPermissions() {
			if giver.MayGivePermission(p) {
				givenPermissions = append(givenPermissions, p)
			}
		}
		made := []identity.Principal{key(givenScopes...), person(false, givenPermissions, identity.AllScopes()...)}
		for _, m := range made {
			for _, g := range identity.Guards {
				if mayUse(m, g) && !mayUse(giver, g) {
					t.Fatalf("%+v may not use the routes of %+v, but %+v, whom it may make, may", giver, g, m)
				}
			}
		}
	})
}

// mayUse returns true if the principal may use the guard's routes.
func mayUse(p identity.Principal, g identity.Guard) bool {
	return p.May(g.Scopes...) && p.Has(g.Permission)
}
