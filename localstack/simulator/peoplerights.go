package simulator

import (
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// checkRightsOf: who makes a change has the right to such changes at the moment when it is
// written, whatever it had when it was admitted. Clients do not see that, where requests
// overlap.
func (o *office) checkRightsOf(by *invocation, changed []string) {
	var h *holder
	for _, name := range sorted(o.holders) {
		if o.holders[name].token == by.bearer {
			h = o.holders[name]
		}
	}
	if by.bearer == "" || h == nil {
		return
	}
	needs, scopes := identity.Permission(""), []string(nil)
	for _, key := range changed {
		pk, _, _ := strings.Cut(key, " ")
		switch at := partition(pk); {
		case at.Tenant != o.tenant:
		case at.Kind == store.KindAPIKey:
			needs, scopes = identity.DeveloperSettingsWrite, []string{"api_keys:write"}
		default:
			needs, scopes = identity.MembersWrite, []string{"user.subaccounts", "members.write", "roles.write"}
		}
	}
	if needs == "" {
		return
	}
	if p, valid := o.principal(h); !valid || !p.Has(needs) || !p.May(scopes...) {
		o.find("", "%s changed %v without the right to, as %+v", by.actor, changed, p)
	}
}

// principal returns the holder's principal with its present rights; false when its credential is no longer valid.
func (o *office) principal(h *holder) (identity.Principal, bool) {
	by := h.by
	if by.Key != "" {
		p := identity.Principal{Actor: identity.Actor{Kind: identity.SecretKey}}
		at := slices.IndexFunc(o.last.apiKeys, func(i item) bool { return i.text("id") == by.Key })
		if at >= 0 {
			p.Scopes = texts(o.last.apiKeys[at]["scopes"])
		}
		return p, at >= 0
	}
	p := identity.Principal{Actor: identity.Actor{Kind: identity.User}, Scopes: by.Scopes}
	at := slices.IndexFunc(o.last.members, func(i item) bool { return i.text("id") == by.Member })
	if at < 0 || o.signedOut(by.Token) {
		return p, false
	}
	m := o.last.members[at]
	for _, id := range texts(m["roles"]) {
		names := permissionsOf(id)
		for _, role := range o.last.roles {
			if role.text("id") == id {
				names = texts(role["permissions"])
			}
		}
		for _, name := range names {
			p.Permissions = append(p.Permissions, identity.Permission(name))
		}
	}
	p.Owner = has(m, member.RoleOwner)
	return p, m.object("invite").text("id") == "" && m.text("disabled_at") == "" && honours(m, h.in)
}

// honours reports whether the stored member honours a sign-in at the time (member.Member.Honours).
func honours(m item, in time.Time) bool {
	ended, err := time.Parse(time.RFC3339Nano, m.text("access_ended_at"))
	return err != nil || (member.Member{AccessEnded: ended}).Honours(in)
}

// signedOut says whether the token was revoked.
func (o *office) signedOut(token string) bool {
	return slices.ContainsFunc(o.outs, func(r linear.PeopleRequest) bool {
		out, _ := r.Do.(linear.SignOut)
		return out.Token == token && token != ""
	})
}
