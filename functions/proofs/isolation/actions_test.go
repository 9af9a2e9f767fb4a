package isolation_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Paths of the resources that an adversary changes.
const (
	membersPath  = "/v0.1/merchants/{merchant_code}/members"
	memberPath   = membersPath + "/{member_id}"
	rolesPath    = "/v0.1/merchants/{merchant_code}/roles"
	rolePath     = rolesPath + "/{role_id}"
	keysPath     = "/v0.1/merchants/{merchant_code}/api-keys"
	keyPath      = keysPath + "/{key_id}"
	accountsPath = "/v0.1/me/accounts"
	profilesPath = "/v0.1/merchants/{merchant_code}/test-profiles"
	tokensPath   = "/v0.1/merchants/{merchant_code}/tokens"
	accountPath  = accountsPath + "/{operator_id}"
	profilePath  = "/v0.1/me/merchant-profile"
)

// adversaryActions are the adversary's steps by name. rapid draws sequences of these steps.
var adversaryActions = map[string]func(*arena, *rapid.T){
	"create a member": func(a *arena, t *rapid.T) { a.adversarySends(t, "POST", membersPath, "", a.memberBody(t, true)) },
	"update a member": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "PUT", memberPath, a.drawPerson(t), a.memberBody(t, false))
	},
	"delete a member": func(a *arena, t *rapid.T) { a.adversarySends(t, "DELETE", memberPath, a.drawPerson(t), nil) },
	"create a role":   func(a *arena, t *rapid.T) { a.adversarySends(t, "POST", rolesPath, "", roleBody(t)) },
	"update a role":   func(a *arena, t *rapid.T) { a.adversarySends(t, "PATCH", rolePath, a.drawRole(t), roleBody(t)) },
	"delete a role":   func(a *arena, t *rapid.T) { a.adversarySends(t, "DELETE", rolePath, a.drawRole(t), nil) },
	"create a key":    func(a *arena, t *rapid.T) { a.adversarySends(t, "POST", keysPath, "", a.keyBody(t)) },
	"update a key":    func(a *arena, t *rapid.T) { a.adversarySends(t, "PUT", keyPath, a.drawKey(t), a.keyBody(t)) },
	"delete a key":    func(a *arena, t *rapid.T) { a.adversarySends(t, "DELETE", keyPath, a.drawKey(t), nil) },
	"create a merchant token": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "POST", tokensPath, "", map[string]any{"actions": []string{"checkout"}})
	},
	"create an operator": func(a *arena, t *rapid.T) {
		body := a.operatorBody(t)
		body["username"], body["password"] = a.drawAddress(t), a.newPassword()
		a.adversarySends(t, "POST", accountsPath, "", body)
	},
	"update an operator": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "PUT", accountPath, a.drawPerson(t), a.operatorBody(t))
	},
	"reset a password": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "PUT", accountPath+"/reset", a.drawPerson(t), map[string]any{"password": a.newPassword()})
	},
	"disable an operator": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "POST", accountPath+"/disable", a.drawPerson(t), nil)
	},
	"delete an operator": func(a *arena, t *rapid.T) { a.adversarySends(t, "DELETE", accountPath, a.drawPerson(t), nil) },
	"change settings": func(a *arena, t *rapid.T) {
		period := rapid.SampledFrom([]string{"daily", "weekly", "monthly"}).Draw(t, "period")
		a.adversarySends(t, "PUT", profilePath+"/settings", "", map[string]any{"payout_period": period})
	},
	"add a bank account": func(a *arena, t *rapid.T) {
		a.adversarySends(t, "POST", profilePath+"/bank-accounts", "", map[string]any{"account_holder_name": "Mallory",
			"iban": sandbox.PaidIBAN, "primary": rapid.Bool().Draw(t, "primary")})
	},
	"accept an invitation": func(a *arena, t *rapid.T) {
		if len(a.invited) > 0 {
			a.accept(rapid.SampledFrom(a.invited).Draw(t, "invitation"))
		}
	},
	"owner changes a person": func(a *arena, t *rapid.T) {
		body := map[string]any{"roles": a.drawRoles(t)}
		a.ownerSends(t, "PUT", memberPath, body, a.drawPerson(t))
	},
	"owner changes an operator": func(a *arena, t *rapid.T) {
		body := map[string]any{"permissions": drawPermissionFields(t), "disabled": rapid.Bool().Draw(t, "disabled")}
		a.ownerSends(t, "PUT", accountPath, body, a.drawPerson(t))
	},
	"owner changes a role": func(a *arena, t *rapid.T) { a.ownerSends(t, "PATCH", rolePath, roleBody(t), a.drawRole(t)) },
	"owner changes a key": func(a *arena, t *rapid.T) {
		if id := a.drawKey(t); id != a.Merchant.Key.ID {
			a.ownerSends(t, "PUT", keyPath, map[string]any{"name": "by the owner", "scopes": drawScopes(t)}, id)
		}
	},
	"owner revokes": func(a *arena, t *rapid.T) {
		if rapid.Bool().Draw(t, "key") {
			a.ownerSends(t, "DELETE", keyPath, nil, a.drawKey(t))
		} else {
			a.ownerSends(t, "DELETE", memberPath, nil, a.drawPerson(t))
		}
	},
}

func (a *arena) drawPerson(t *rapid.T) string { return rapid.SampledFrom(a.people).Draw(t, "person") }

func (a *arena) drawRole(t *rapid.T) string { return rapid.SampledFrom(a.roles).Draw(t, "role") }

func (a *arena) drawKey(t *rapid.T) string { return rapid.SampledFrom(a.keys).Draw(t, "key") }

// drawAddress returns a mail address. The adversary reads the mails to most addresses. Other people read the mails to
// the rest.
func (a *arena) drawAddress(t *rapid.T) string {
	a.serial++
	fresh := fmt.Sprintf("mallory%d@example.com", a.serial)
	return rapid.SampledFrom([]string{fresh, fresh, fresh, "MALLORY@example.com", "admin@example.com",
		"newcomer@example.com", a.email}).Draw(t, "address")
}

func (a *arena) newPassword() string {
	a.serial++
	return fmt.Sprintf("a password of number %d", a.serial)
}

// maybeSetPassword sets a password in only one of six bodies, because hashing takes longer than the rest of the
// request.
func (a *arena) maybeSetPassword(t *rapid.T, body map[string]any) {
	if rapid.IntRange(0, 5).Draw(t, "password") == 0 {
		body["password"] = a.newPassword()
	}
}

func (a *arena) drawRoles(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(a.roles), 1, 2).Draw(t, "roles")
}

// maybeSet sets a field of half of the bodies.
func maybeSet[V any](t *rapid.T, body map[string]any, field string, value func() V) {
	if rapid.Bool().Draw(t, "with "+field) {
		body[field] = value()
	}
}

// smuggleFields adds fields to some bodies. The operation does not have these fields, or clients cannot set them. Their
// values would give rights if they were accepted.
func smuggleFields(t *rapid.T, body map[string]any) map[string]any {
	if rapid.IntRange(0, 3).Draw(t, "smuggled") == 0 {
		everything := []string{member.RoleOwner, member.RoleAdmin}
		body["attributes"] = map[string]any{"roles": everything, "permissions": identity.AllPermissions()}
		body["metadata"] = map[string]any{"roles": everything, "admin": true, "owner": "<script>"}
		for field, value := range map[string]any{"status": "accepted", "owner": true, "is_predefined": true,
			"id": member.RoleOwner, "is_managed_user": true, "account_type": "normal", "virtual_user": true} {
			if _, has := body[field]; !has {
				body[field] = value
			}
		}
	}
	return body
}

func (a *arena) memberBody(t *rapid.T, create bool) map[string]any {
	body, user := map[string]any{}, map[string]any{}
	if create {
		body["email"], body["roles"] = a.drawAddress(t), a.drawRoles(t)
		body["is_managed_user"] = rapid.IntRange(0, 2).Draw(t, "managed") == 0
		user = body
	} else {
		maybeSet(t, body, "roles", func() []string { return a.drawRoles(t) })
		maybeSet(t, body, "metadata", func() any { return map[string]any{"a": a.serial} })
		maybeSet(t, body, "user", func() any { return user })
	}
	maybeSet(t, user, "nickname", func() string { return "Ada" })
	a.maybeSetPassword(t, user)
	return smuggleFields(t, body)
}

func (a *arena) operatorBody(t *rapid.T) map[string]any {
	body := map[string]any{}
	maybeSet(t, body, "username", func() string { return a.drawAddress(t) })
	a.maybeSetPassword(t, body)
	maybeSet(t, body, "disabled", func() bool { return rapid.Bool().Draw(t, "disabled") })
	maybeSet(t, body, "nickname", func() string { return "Ada" })
	maybeSet(t, body, "permissions", func() any { return drawPermissionFields(t) })
	return smuggleFields(t, body)
}

func roleBody(t *rapid.T) map[string]any {
	body := map[string]any{"name": "role_owner", "permissions": rapid.SliceOfNDistinct(
		rapid.SampledFrom(identity.AllPermissions()), 1, 4, rapid.ID).Draw(t, "permissions")}
	maybeSet(t, body, "description", func() string { return "Owner" })
	return smuggleFields(t, body)
}

func (a *arena) keyBody(t *rapid.T) map[string]any {
	body := map[string]any{"name": "Ada's", "scopes": drawScopes(t)}
	if rapid.IntRange(0, 5).Draw(t, "public") == 0 {
		body["type"], body["scopes"] = "public", []string{}
	}
	return body
}

// drawScopes draws the scopes of a key or token: all, none, or some, with a preference for scopes of administration.
func drawScopes(t *rapid.T) []string {
	switch rapid.IntRange(0, 5).Draw(t, "scopes of") {
	case 0:
		return identity.AllScopes()
	case 1:
		return []string{}
	default:
		some := append(identity.AllScopes(), "members.write", "roles.write", "api_keys:write", "user.subaccounts",
			"user.payout-settings", "api_keys", "members.read", "profile")
		return rapid.SliceOfNDistinct(rapid.SampledFrom(some), 1, 6, rapid.ID).Draw(t, "scopes")
	}
}

func drawPermissionFields(t *rapid.T) map[string]any {
	permissions := map[string]any{}
	for _, name := range []string{"admin", "create_moto_payments", "full_transaction_history_view", "refund_transactions",
		"create_referral"} {
		maybeSet(t, permissions, name, func() bool { return rapid.Bool().Draw(t, name) })
	}
	return permissions
}

func drawPermissions(t *rapid.T) member.Permissions {
	return member.Permissions{Admin: rapid.Bool().Draw(t, "admin"),
		FullTransactionHistoryView: rapid.Bool().Draw(t, "view"), RefundTransactions: rapid.Bool().Draw(t, "refund")}
}
