package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// records are all that the table has about an office's people.
type records struct {
	members, roles, invitations, memberships []item
	apiKeys                                  []item
	guards                                   map[string]string // hash of an address → id of the member
	users                                    map[string]string // hash of an address → id of the user
	count, keys                              item              // of members, and of keys
}

// checkOffices: what is counted, guarded and linked is what there is, and each office has
// an active owner.
func (p *people) checkOffices() {
	items := p.scan()
	for _, o := range p.offices {
		r := o.recordsIn(items)
		o.checkCounts(r)
		o.checkLinks(r)
		o.checkMakers(r)
		o.checkGains(r)
		o.last = r
	}
}

func (o *office) recordsIn(items []item) records {
	r := records{guards: map[string]string{}, users: map[string]string{}}
	for _, i := range items {
		pk, sk := i.text("pk"), i.text("sk")
		at := partition(pk)
		mine := at.Tenant == o.tenant
		switch {
		case at.Kind == store.KindMembers && mine && strings.HasPrefix(sk, "MEMBER#"):
			r.members = append(r.members, i)
		case at.Kind == store.KindMembers && mine && strings.HasPrefix(sk, "EMAIL#"):
			r.guards[strings.TrimPrefix(sk, "EMAIL#")] = i.text("member_id")
		case at.Kind == store.KindMembers && mine && sk == "COUNT":
			r.count = i
		case at.Kind == store.KindAPIKey && mine && strings.HasPrefix(sk, "KEY#") && i["revoked"] != true:
			r.apiKeys = append(r.apiKeys, i)
		case at.Kind == store.KindAPIKey && mine && sk == "COUNT":
			r.keys = i
		case at.Kind == store.KindRoles && mine && sk == "ROLES":
			r.roles = i.list("roles")
		case sk == "INVITATION" && i.text("merchant_code") == o.tenant.Merchant && i.text("mode") == string(o.tenant.Mode):
			r.invitations = append(r.invitations, i)
		case sk == "MEMBERSHIP#"+o.tenant.String():
			r.memberships = append(r.memberships, i)
		case sk == "EMAIL":
			r.users[at.Last] = i.text("user_id")
		}
	}
	return r
}

// governs says whether a member is one of those of whom there must be one.
func governs(m item) bool {
	return has(m, member.RoleOwner) && m.object("invite").text("id") == "" && m.text("disabled_at") == ""
}

func has(m item, role string) bool { return slices.Contains(texts(m["roles"]), role) }

// texts are those of a set.
func texts(set any) (all []string) {
	list, _ := set.([]any)
	for _, one := range list {
		text, _ := one.(string)
		all = append(all, text)
	}
	return all
}

// checkCounts: the counts are right, and there is an owner.
func (o *office) checkCounts(r records) {
	owners := 0
	for _, m := range r.members {
		if governs(m) {
			owners++
		}
	}
	if owners == 0 {
		o.find("", "%s has no active owner", o.name)
	}
	got := fmt.Sprintf("%v and %v", r.count["count"], r.count["owners"])
	if want := fmt.Sprintf("%d and %d", len(r.members)+o.others, owners); got != want {
		o.find("", "%s counts members and owners as %s, and has %s", o.name, got, want)
	}
	if n := number(r.count["count"]); n > mostMembers {
		o.find("", "%s has %d members, and may have %d", o.name, n, mostMembers)
	}
	if n := number(r.count["invited"]); n > mostInvitations {
		o.find("", "%s made %d invitations on a day, and may make %d", o.name, n, mostInvitations)
	}
	o.checkDay(r.count, "invited_on", "invited")
	o.checkDay(r.keys, "day", "created")
	for _, role := range r.roles {
		n := 0
		for _, m := range r.members {
			if has(m, role.text("id")) {
				n++
			}
		}
		if counted, _ := role["members"].(string); counted != fmt.Sprint(n) && (counted != "" || n > 0) {
			o.find("", "role %s counts %q members, and has %d", role.text("id"), counted, n)
		}
	}
}

// firstDay is the one on which worlds begin. What is made at the end of a day may count for the
// next.
const firstDay = "2026-11-20"

// checkDay: invitations and new keys of the first day are counted.
func (o *office) checkDay(count item, on, number string) {
	day := count.text("pk") + " " + count.text(on)
	n := o.counted[day]
	for _, one := range o.writes.days {
		if one == day {
			n++
		}
	}
	if got := fmt.Sprint(count[number]); count.text(on) == firstDay && got != fmt.Sprint(n) {
		o.find("", "%s counts %s on %s, and made %d", o.name, got, day, n)
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// checkLinks: addresses, users, memberships and invitations lead to members, and each
// member is led to.
func (o *office) checkLinks(r records) {
	guards, members, users := map[string]string{}, map[string]string{}, map[string]string{}
	pending := map[string]string{}
	for _, m := range r.members {
		id, address := m.text("id"), member.Address(m.text("email"))
		guards[digest(address)] = id
		if user := m.text("user_id"); user != "" {
			members[user] = id
			users[digest(address)] = user
			if r.users[digest(address)] != user {
				o.find("", "member %s is of user %s, and its address leads to %q", id, user, r.users[digest(address)])
			}
		}
		if i := m.object("invite"); i != nil && o.now().Before(timeOf(i, "expires_at").Truncate(time.Second)) {
			pending[i.text("token_hash")] = id
		}
		for _, role := range texts(m["roles"]) {
			own := func(i item) bool { return i.text("id") == role }
			if !slices.Contains(predefinedRoles, role) && !slices.ContainsFunc(r.roles, own) {
				o.find("", "member %s has the role %s, which is not there", id, role)
			}
		}
	}
	o.compare("addresses are kept", r.guards, guards)
	listed := map[string]string{}
	for _, i := range r.memberships {
		listed[strings.TrimPrefix(i.text("pk"), "MEMBERSHIPS#")] = i.text("member_id")
	}
	o.compare("users are listed", listed, members)
	open := map[string]string{}
	for _, i := range r.invitations {
		// Some time after an invitation has expired, the table deletes its item, also that of an accepted one.
		if id := i.text("member_id"); !o.accepted(id) && o.now().Before(seconds(i, "expires_at")) {
			open[strings.TrimPrefix(i.text("pk"), "INVITATION#")] = id
		}
		if last := o.now().Add(member.InviteLasts + maxSkew); int64(number(i["expires_at"])) > last.Unix() {
			o.find("", "an invitation of %s is kept until %v, want at most %v", i.text("member_id"), i["expires_at"], last)
		}
	}
	o.compare("invitations are open", open, pending)
}

// checkMakers checks that no key outlives the member who stands behind it, unless a request kept the key.
func (o *office) checkMakers(r records) {
	for _, k := range r.apiKeys {
		maker := k.object("maker").text("person")
		at := slices.IndexFunc(r.members, func(m item) bool { return m.text("id") == maker })
		left := at < 0 || r.members[at].text("disabled_at") != ""
		if maker != "" && left && !o.writes.keep[maker] {
			o.find("", "key %s outlives its maker %s", k.text("id"), maker)
		}
	}
}

// accepted says whether a member ever accepted its invitation. The link to it is deleted
// with a member that has not.
func (o *office) accepted(id string) bool {
	m, known := o.begin.Members[id]
	return known && !m.Pending || o.writes.before[id].text("user_id") != ""
}

// predefinedRoles are those of every tenant.
var predefinedRoles = []string{member.RoleOwner, member.RoleAdmin, member.RoleAccountant, member.RoleEmployee}

func (o *office) compare(what string, got, want map[string]string) {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		o.find("", "%s: %s for %s, of members with %s", o.name, what, g, w)
	}
}

// bounds are the most that somebody other than an owner can have: what owners asked for,
// and what others had in the beginning.
type bounds struct {
	permissions map[identity.Permission]bool
	owners      bool // an owner asked for another
}

// checkGains: nobody has more than owners ever asked for, however the calls of others are
// combined.
func (o *office) checkGains(r records) {
	most := o.bounds()
	granted := map[string][]string{}
	for _, role := range r.roles {
		granted[role.text("id")] = texts(role["permissions"])
	}
	for _, m := range r.members {
		was, known := o.begin.Members[m.text("id")]
		if known && slices.Contains(was.Roles, member.RoleOwner) {
			continue
		}
		if has(m, member.RoleOwner) && !most.owners {
			o.find("", "%s became an owner, and no owner asked for it", m.text("id"))
		}
		for _, role := range texts(m["roles"]) {
			for _, one := range append(granted[role], permissionsOf(role)...) {
				if !most.permissions[identity.Permission(one)] {
					o.find("", "%s got %s by %s, and no owner asked for it", m.text("id"), one, role)
				}
			}
		}
	}
}

// permissionsOf are a predefined role's (contract §8.1).
func permissionsOf(role string) (names []string) {
	switch role {
	case member.RoleOwner, member.RoleAdmin:
		for _, p := range identity.AllPermissions() {
			names = append(names, string(p))
		}
	case member.RoleAccountant:
		names = []string{string(identity.FullTransactionHistoryView)}
	}
	return names
}

// bounds are those of all that was asked for until now.
func (o *office) bounds() bounds {
	b := bounds{map[identity.Permission]bool{}, false}
	give := func(roles []string) {
		for _, role := range roles {
			for _, p := range append(permissionsOf(role), asText(o.begin.Roles[role].Permissions)...) {
				b.permissions[identity.Permission(p)] = true
			}
			b.owners = b.owners || role == member.RoleOwner
		}
	}
	for _, m := range o.begin.Members {
		if !slices.Contains(m.Roles, member.RoleOwner) {
			give(m.Roles)
		}
	}
	scopes := map[string]bool{}
	for _, a := range o.asks {
		if a.office != o || a.holder == nil || !o.governs(a.holder) {
			continue
		}
		switch d := a.do.(type) {
		case linear.RoleChange:
			if d.Permissions != nil {
				for _, p := range *d.Permissions {
					b.permissions[p] = true
				}
			}
		case linear.MemberChange:
			if d.Roles != nil {
				give(*d.Roles)
			}
			if d.Make != nil {
				give(d.Make.Roles)
				for _, p := range d.Make.Own {
					b.permissions[p] = true
				}
			}
		case linear.KeyChange:
			if d.Scopes != nil {
				for _, scope := range *d.Scopes {
					scopes[scope] = true
				}
			}
		}
	}
	key := identity.Principal{Actor: identity.Actor{Kind: identity.SecretKey}, Scopes: sorted(scopes)}
	for _, p := range identity.AllPermissions() { // a key may give what its scopes open
		b.permissions[p] = b.permissions[p] || len(scopes) > 0 && key.MayGivePermission(p)
	}
	return b
}

func asText(list []identity.Permission) (names []string) {
	for _, p := range list {
		names = append(names, string(p))
	}
	return names
}

// governs says whether somebody could ever act as an owner here: it was one in the
// beginning, or has all scopes.
func (o *office) governs(h *holder) bool {
	if h.by.Key != "" {
		return len(o.begin.Keys[h.by.Key].Scopes) == len(identity.AllScopes())
	}
	return slices.Contains(o.begin.Members[h.by.Member].Roles, member.RoleOwner)
}

// checkPeople checks a world at rest: each mail that is owed was sent under its id, no
// other was, and nothing that must be secret is stored.
func (p *people) checkPeople() {
	p.checkOffices()
	sent := map[string]bool{}
	for _, m := range p.mails.Sent() {
		sent[m.ID] = true
	}
	owed := map[string]bool{}
	for _, c := range p.changes {
		i := c.image()
		if !strings.HasPrefix(i.text("pk"), "MAIL#") {
			continue
		}
		id := strings.TrimPrefix(i.text("pk"), "MAIL#")
		owed[id] = i["member"] != nil && i.text("state") != "dropped"
	}
	for _, id := range sorted(owed) {
		if owed[id] && !sent[id] {
			p.find("", "mail %s was never sent", id)
		}
	}
	for _, id := range sorted(sent) {
		if _, written := owed[id]; !written {
			p.find("", "mail %s was invented", id)
		}
	}
	p.checkSecrets()
}

// limitsMore says whether a bucket is of mails or passwords, which have limits of their own.
func (p *people) limitsMore(bucket string) bool {
	return slices.ContainsFunc(p.offices, func(o *office) bool {
		subjects := []string{"passwords " + o.tenant.String()}
		for _, kind := range mail.Kinds {
			subjects = append(subjects, string(kind)+" mails "+o.tenant.String(),
				string(kind)+" mails to owners "+o.tenant.String())
		}
		for _, address := range o.guests {
			subjects = append(subjects, "passwords of invitations for "+address)
		}
		return slices.ContainsFunc(subjects, func(one string) bool { return bucket == digest(one) })
	})
}

// checkSecrets searches the table and the queues for credentials, passwords and the tokens
// of invitations.
func (p *people) checkSecrets() {
	for _, m := range p.mails.Sent() {
		if found := link.FindStringSubmatch(m.Text); found != nil {
			p.secrets[found[1]] = "token of an invitation"
		}
	}
	p.secrets[password] = "password"
	dump, _ := json.Marshal(p.scan()) // of what was JSON
	for _, secret := range sorted(p.secrets) {
		if strings.Contains(string(dump), secret) {
			p.find("", "a %s is in the table", p.secrets[secret])
		}
	}
}
