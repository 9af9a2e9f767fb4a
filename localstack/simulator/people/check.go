package people

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// records contains everything in the table about the merchant's roles, members and keys.
type records struct {
	members     map[string]member.Member
	roles       member.Roles
	customRoles map[string]member.Role // the merchant's custom roles, by id
	keys        map[string]identity.APIKey
	links       map[string]string // member ids, by users and hashes of addresses
	users       map[string]string // user ids, by the hash of an address
	invitations []calls.Item
	invited     map[string][]any // recent times of invitations, by the sort key of an address
	count       calls.Item       // number of members
	keyCount    calls.Item
}

func (p *people) readRecords() records {
	r := records{members: map[string]member.Member{}, customRoles: map[string]member.Role{},
		keys: map[string]identity.APIKey{}, links: map[string]string{}, users: map[string]string{},
		invited: map[string][]any{}}
	for _, m := range must[[]member.Member](p.World)(p.store.Members(p.ctx(), p.tenant)) {
		r.members[m.ID] = m
	}
	for _, k := range must[[]identity.APIKey](p.World)(p.store.APIKeys(p.ctx(), p.tenant)) {
		r.keys[k.ID] = k
	}
	r.roles = must[member.Roles](p.World)(p.store.Roles(p.ctx(), p.tenant))
	for _, role := range r.roles.Own {
		r.customRoles[role.ID] = role
	}
	for _, i := range p.Scan() {
		sk, at := i.Text("sk"), calls.Partition(i.Text("pk"))
		address, guards := strings.CutPrefix(sk, "EMAIL#")
		mine := at.Tenant == p.tenant
		switch {
		case mine && at.Kind == store.KindMembers && guards:
			r.links["address "+address] = i.Text("member_id")
		case mine && at.Kind == store.KindMembers && strings.HasPrefix(sk, "INVITED#"):
			r.invited[sk], _ = i["times"].([]any)
		case mine && at.Kind == store.KindMembers && sk == "COUNT":
			r.count = i
		case mine && at.Kind == store.KindAPIKey && sk == "COUNT":
			r.keyCount = i
		case sk == "INVITATION" && i.Text("merchant_code") == p.Merchant:
			r.invitations = append(r.invitations, i)
		case sk == "MEMBERSHIP#"+p.Tenant:
			r.links["user "+strings.TrimPrefix(i.Text("pk"), "MEMBERSHIPS#")] = i.Text("member_id")
		case sk == "EMAIL":
			r.users[at.Last] = i.Text("user_id")
		}
	}
	return r
}

// checkRecords checks the counts, limits and links against the members, roles and keys. It also checks that an owner is
// active.
func (p *people) checkRecords(r records) {
	owners, having := 0, map[string]int{}
	for _, id := range simulator.Sorted(r.members) {
		m := r.members[id]
		if m.Governs() {
			owners++
		}
		for _, role := range m.Roles {
			having[role]++
		}
		if err := r.roles.CheckKnown(m.Roles); err != nil {
			p.Find("", "member %s has the roles %v: %v", id, m.Roles, err)
		}
	}
	if owners == 0 {
		p.Find("", "there is no active owner")
	}
	got, want := []int{r.count.Number("count"), r.count.Number("owners")}, []int{len(r.members) + p.others, owners}
	if !slices.Equal(got, want) {
		p.Find("", "members and owners are counted as %d, and are %d", got, want)
	}
	if n := got[0]; n > member.MaxMembers {
		p.Find("", "there are %d members, want at most %d", n, member.MaxMembers)
	}
	if n := r.count.Number("invited"); n > member.InvitationsADay {
		p.Find("", "there are %d invitations on a day, want at most %d", n, member.InvitationsADay)
	}
	p.checkDay(invitationsOn, r.count.Text("invited_on"), r.count.Number("invited"))
	p.checkDay(keysOn, r.keyCount.Text("day"), r.keyCount.Number("created"))
	for _, role := range r.roles.Own {
		if role.Members != having[role.ID] {
			p.Find("", "role %s counts %d members, and has %d", role.ID, role.Members, having[role.ID])
		}
	}
	for _, id := range simulator.Sorted(r.keys) {
		maker := r.keys[id].Maker.Person
		if m, stays := r.members[maker]; maker != "" && (!stays || m.Disabled()) && !p.kept[maker] {
			p.Find("", "key %s outlives its maker %s", id, maker)
		}
	}
	p.checkLinks(r)
}

// Prefixes of counts by day.
const (
	invitationsOn = "invitations on "
	keysOn        = "keys on "
)

// firstDay is the first day of each world. An invitation or key at the end of a day may count for the next day.
const firstDay = "2026-11-20"

// checkDay checks that invitations and new keys of the first day are counted.
func (p *people) checkDay(what, day string, counted int) {
	if want := p.created[what+day]; day == firstDay && counted != want {
		p.Find("", "%s%s: %v are counted, and %d were made", what, day, counted, want)
	}
}

// checkLinks checks that each member's address, user and open invitation lead to the member, and that no other links
// exist. A user's address must also lead to the user, and no invitation may be kept too long.
func (p *people) checkLinks(r records) {
	got, want := maps.Clone(r.links), map[string]string{}
	for _, id := range simulator.Sorted(r.members) {
		m := r.members[id]
		address := identity.Hash(m.Address())
		want["address "+address] = id
		if m.UserID != "" {
			want["user "+m.UserID] = id
			if r.users[address] != m.UserID {
				p.Find("", "member %s is of user %s, and its address leads to %q", id, m.UserID, r.users[address])
			}
		}
		if m.Invited() && p.Now().Before(m.Invite.ExpiresAt.Truncate(time.Second)) {
			want["invitation "+m.Invite.TokenHash] = id
		}
	}
	for _, i := range r.invitations {
		// The item of an accepted invitation stays until some time after its expiry, even if the member is deleted earlier.
		id := i.Text("member_id")
		if !p.accepted[id] && p.Now().Before(i.Seconds("expires_at")) {
			got["invitation "+strings.TrimPrefix(i.Text("pk"), "INVITATION#")] = id
		}
		if last := p.Now().Add(member.InviteLasts + simulator.MaxSkew); i.Seconds("expires_at").After(last) {
			p.Find("", "an invitation of %s is kept until %v, want at most %v", id, i["expires_at"], last)
		}
	}
	if !maps.Equal(got, want) {
		p.Find("", "these lead to members: %v, want %v", got, want)
	}
}

// otherLimits returns the buckets for mails and passwords. Their limits differ from the limits of requests.
func (p *people) otherLimits() (buckets []string) {
	subjects := []string{"passwords " + p.Tenant}
	for _, kind := range mail.Kinds {
		subjects = append(subjects, string(kind)+" mails "+p.Tenant, string(kind)+" mails to owners "+p.Tenant)
	}
	for _, address := range p.guests {
		subjects = append(subjects, "passwords by links to "+address)
	}
	for _, one := range subjects {
		buckets = append(buckets, identity.Hash(one))
	}
	return buckets
}

// noteOf returns the note in a member's metadata. It identifies the request that created the member.
func noteOf(m member.Member) string {
	return simulator.Decoded[struct{ Note string }]([]byte(m.Metadata)).Note
}
