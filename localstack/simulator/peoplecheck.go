package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// records hold everything in the table about the merchant's roles, members and keys.
type records struct {
	members     map[string]member.Member
	roles       member.Roles
	own         map[string]member.Role // of roles
	keys        map[string]identity.APIKey
	links       map[string]string // addresses by their hashes, and users → id of the member
	users       map[string]string // hash of an address → id of the user
	invitations []item
	invited     map[string][]any // sort key of an address → when it was invited of late
	count       item             // of members
	keyCount    item
}

// records reads the records from the table.
func (p *people) records() records {
	r := records{members: map[string]member.Member{}, own: map[string]member.Role{}, keys: map[string]identity.APIKey{},
		links: map[string]string{}, users: map[string]string{}, invited: map[string][]any{}}
	for _, m := range must[[]member.Member](p.World)(p.store.Members(p.ctx(), p.of)) {
		r.members[m.ID] = m
	}
	for _, k := range must[[]identity.APIKey](p.World)(p.store.APIKeys(p.ctx(), p.of)) {
		r.keys[k.ID] = k
	}
	r.roles = must[member.Roles](p.World)(p.store.Roles(p.ctx(), p.of))
	for _, role := range r.roles.Own {
		r.own[role.ID] = role
	}
	for _, i := range p.scan() {
		sk, at := i.text("sk"), partition(i.text("pk"))
		address, guards := strings.CutPrefix(sk, "EMAIL#")
		mine := at.Tenant == p.of
		switch {
		case mine && at.Kind == store.KindMembers && guards:
			r.links["address "+address] = i.text("member_id")
		case mine && at.Kind == store.KindMembers && strings.HasPrefix(sk, "INVITED#"):
			r.invited[sk], _ = i["times"].([]any)
		case mine && at.Kind == store.KindMembers && sk == "COUNT":
			r.count = i
		case mine && at.Kind == store.KindAPIKey && sk == "COUNT":
			r.keyCount = i
		case sk == "INVITATION" && i.text("merchant_code") == p.merchant:
			r.invitations = append(r.invitations, i)
		case sk == "MEMBERSHIP#"+p.tenant:
			r.links["user "+strings.TrimPrefix(i.text("pk"), "MEMBERSHIPS#")] = i.text("member_id")
		case sk == "EMAIL":
			r.users[at.Last] = i.text("user_id")
		}
	}
	return r
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// checkRecords checks the counts, limits and links against the members, roles and keys, and that an owner is active.
func (p *people) checkRecords(r records) {
	owners, having := 0, map[string]int{}
	for _, id := range sorted(r.members) {
		m := r.members[id]
		if m.Governs() {
			owners++
		}
		for _, role := range m.Roles {
			having[role]++
		}
		if err := r.roles.CheckKnown(m.Roles); err != nil {
			p.find("", "member %s has the roles %v: %v", id, m.Roles, err)
		}
	}
	if owners == 0 {
		p.find("", "there is no active owner")
	}
	got := fmt.Sprintf("%v and %v", r.count["count"], r.count["owners"])
	if want := fmt.Sprintf("%d and %d", len(r.members)+p.others, owners); got != want {
		p.find("", "members and owners are counted as %s, and are %s", got, want)
	}
	if n := number(r.count["count"]); n > member.MaxMembers {
		p.find("", "there are %d members, want at most %d", n, member.MaxMembers)
	}
	if n := number(r.count["invited"]); n > member.InvitationsADay {
		p.find("", "there are %d invitations on a day, want at most %d", n, member.InvitationsADay)
	}
	p.checkDay(invitationsOn, r.count.text("invited_on"), r.count["invited"])
	p.checkDay(keysOn, r.keyCount.text("day"), r.keyCount["created"])
	for _, role := range r.roles.Own {
		if role.Members != having[role.ID] {
			p.find("", "role %s counts %d members, and has %d", role.ID, role.Members, having[role.ID])
		}
	}
	for _, id := range sorted(r.keys) {
		maker := r.keys[id].Maker.Person
		if m, stays := r.members[maker]; maker != "" && (!stays || m.Disabled()) && !p.kept[maker] {
			p.find("", "key %s outlives its maker %s", id, maker)
		}
	}
	p.checkLinks(r)
}

// What is counted by day.
const (
	invitationsOn = "invitations on "
	keysOn        = "keys on "
)

// firstDay is the day on which worlds begin. An invitation or key at the end of a day may count for the next day.
const firstDay = "2026-11-20"

// checkDay checks that invitations and new keys of the first day are counted.
func (p *people) checkDay(what, day string, counted any) {
	if want := p.created[what+day]; day == firstDay && number(counted) != want {
		p.find("", "%s%s: %v are counted, and %d were made", what, day, counted, want)
	}
}

// checkLinks checks that addresses, users and open invitations lead to members, and to each member.
func (p *people) checkLinks(r records) {
	got, want := maps.Clone(r.links), map[string]string{}
	for _, id := range sorted(r.members) {
		m := r.members[id]
		address := digest(m.Address())
		want["address "+address] = id
		if m.UserID != "" {
			want["user "+m.UserID] = id
			if r.users[address] != m.UserID {
				p.find("", "member %s is of user %s, and its address leads to %q", id, m.UserID, r.users[address])
			}
		}
		if m.Invited() && p.now().Before(m.Invite.ExpiresAt.Truncate(time.Second)) {
			want["invitation "+m.Invite.TokenHash] = id
		}
	}
	for _, i := range r.invitations {
		// The item of an accepted invitation stays until some time after the expiry, also when the member is deleted.
		id := i.text("member_id")
		if !p.accepted[id] && p.now().Before(seconds(i, "expires_at")) {
			got["invitation "+strings.TrimPrefix(i.text("pk"), "INVITATION#")] = id
		}
		if last := p.now().Add(member.InviteLasts + maxSkew); seconds(i, "expires_at").After(last) {
			p.find("", "an invitation of %s is kept until %v, want at most %v", id, i["expires_at"], last)
		}
	}
	if !maps.Equal(got, want) {
		p.find("", "these lead to members: %v, want %v", got, want)
	}
}

// checkPeople checks the records of a world at rest, and that no secret is stored.
func (p *people) checkPeople() {
	p.last = p.records()
	p.checkRecords(p.last)
	p.secrets = append(p.secrets, password)
	for _, m := range p.mails.Sent() {
		if found := link.FindStringSubmatch(m.Text); found != nil { // its token
			p.secrets = append(p.secrets, found[1])
		}
	}
	for _, h := range p.bearers {
		p.secrets = append(p.secrets, h.text)
	}
	dump, _ := json.Marshal(p.scan()) // of what was JSON
	for _, secret := range p.secrets {
		if strings.Contains(string(dump), secret) {
			p.find("", "a password, credential or token of an invitation is in the table")
		}
	}
}

// otherLimits returns the buckets that limit mails and passwords, which have other limits than requests.
func (p *people) otherLimits() (buckets []string) {
	subjects := []string{"passwords " + p.tenant}
	for _, kind := range mail.Kinds {
		subjects = append(subjects, string(kind)+" mails "+p.tenant, string(kind)+" mails to owners "+p.tenant)
	}
	for _, address := range p.guests {
		subjects = append(subjects, "passwords of invitations for "+address)
	}
	for _, one := range subjects {
		buckets = append(buckets, digest(one))
	}
	return buckets
}

// noteOf returns the note in a member's metadata. The note finds the request that has made the member.
func noteOf(m member.Member) string {
	var metadata struct{ Note string }
	_ = json.Unmarshal([]byte(m.Metadata), &metadata) // "": none
	return metadata.Note
}
