package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// plot is what some holders of credentials do at the same time, on one side or more.
type plot struct {
	name  string
	sides []side
}

// side is what those do who have the same in mind.
type side struct {
	who   []string
	steps []step
}

// step is a request of an actor, with a holder's credential.
type step func(o *office, actor string, rng *rand.Rand, h *holder)

// plots are those in which changes get in each other's way.
var plots = []plot{
	{"owners", []side{{[]string{"owner", "olga", "key", "visitor"},
		[]step{(*office).removeOwner, (*office).demoteOwner, (*office).giveRoles}}}},
	{"roles", []side{{[]string{"owner", "key", "rosa", "ada", "emil"},
		[]step{(*office).makeRole, (*office).changeRole, (*office).changeRole, (*office).deleteRole, (*office).giveRoles}}}},
	{"staff", []side{{[]string{"owner", "rosa", "olga", "ada", "anna"},
		[]step{(*office).giveRoles, (*office).annotate, (*office).invite, (*office).deleteMember, (*office).changeRole}}}},
	guests,
	someKeys,
	{"operators", []side{{[]string{"owner", "rosa", "operator", "key"},
		[]step{(*office).hire, (*office).disable, (*office).giveRoles, (*office).annotate, (*office).deleteMember}}}},
	{"visits", []side{{[]string{"visitor", "owner", "olga"},
		[]step{(*office).removeOwner, (*office).annotate, (*office).listMemberships, (*office).giveRoles}}}},
	leaving, leaving,
	takeover, takeover, takeover,
}

// guests is about who is invited. All offices invite one address.
var guests = plot{"guests", []side{{[]string{"owner", "ada", "key", "olga"},
	[]step{(*office).invite, (*office).inviteSame, (*office).inviteSame, (*office).dismiss, (*office).dismiss,
		(*office).giveRoles}}}}

// takeover is about rights that are taken away while they are used.
var takeover = plot{"takeover", []side{usesRights, {[]string{"owner", "key"}, []step{(*office).takeRights}}}}

var usesRights = side{[]string{"victim"}, []step{(*office).giveRoles, (*office).annotate, (*office).makeRole,
	(*office).changeRole, (*office).makeKey, (*office).invite, (*office).rename}}

// signingOut is about a token that is refused while it is used.
func signingOut(by way) plot {
	return plot{"signing-out", []side{usesRights, {[]string{"owner"}, []step{func(o *office, actor string, _ *rand.Rand,
		_ *holder) {
		o.signOut(actor, by, o.holders["victim"])
	}}}}}
}

// hiring adds members.
var hiring = plot{"hiring", []side{{[]string{"owner", "rosa", "key"}, []step{(*office).hire, (*office).invite}}}}

// someKeys is about API keys.
var someKeys = plot{"keys", []side{{[]string{"owner", "spare", "key", "rosa"},
	[]step{(*office).makeKey, (*office).restrict, (*office).rename, (*office).revoke, (*office).annotate}}}}

// takeRights takes rights from somebody who may be using them.
func (o *office) takeRights(actor string, rng *rand.Rand, h *holder) {
	from := o.holders["victim"]
	less := []identity.Permission{identity.FullTransactionHistoryView}
	employee := []string{member.RoleEmployee}
	switch chance := rng.IntN(4); {
	case from.by.Key != "" && chance < 2:
		o.revokeKey(actor, h, from.by.Key)
	case from.by.Key != "":
		name, scopes := o.newName("restricted"), []string{"payments"}
		o.changeKey(actor, h, linear.KeyChange{ID: from.by.Key, Name: &name, Scopes: &scopes})
	case chance == 0:
		o.signOut(actor, way(o.seed%3), from) // each history has another, and so its own conditions
	case from.name == "rosa" && (chance == 1 || o.race.narrow):
		o.setPermissions(actor, rng, h, o.hot.role, less)
	case chance == 2:
		o.remove(actor, h, from.by.Member)
	default:
		o.changeMember(actor, rng, h, linear.MemberChange{ID: from.by.Member, Roles: &employee}, fields{"roles": employee})
	}
}

// way is how a token comes to be refused.
type way int

// The ways.
const (
	clientRevoked way = iota
	grantRevoked
	tokenRevoked
)

// signOut has the holder's token refused, if it is of this office.
func (o *office) signOut(actor string, by way, h *holder) {
	if h.home != o || h.by.Token == "" {
		return
	}
	o.notef(actor, "%s signs out", h.name)
	call := o.logicalTime()
	var err error
	switch by {
	case clientRevoked:
		_, err = o.store.UpdateOAuthClient(o.ctx(), bySimulator, appOf(h.by.Member), func(c oauth.Client) (oauth.Client,
			error) {
			c.RevokedAt = o.now()
			return c, nil
		})
	case grantRevoked:
		err = o.store.RevokeGrant(o.ctx(), o.refreshOf(h.by.Token))
	default:
		err = o.store.RevokeAccessToken(o.ctx(), identity.Hash(h.token))
	}
	o.must(err)
	done := o.request(linear.SignOut{Token: h.by.Token})
	done.Call = call
	o.record(func() { o.outs = append(o.outs, done) })
}

func (o *office) path(parts ...string) string {
	return "/v0.1/merchants/" + o.merchant + "/" + strings.Join(parts, "/")
}

// name is one that nothing else has.
func (o *office) newName(what string) (name string) {
	o.record(func() {
		o.numbers++
		name = fmt.Sprintf("%s-%d", what, o.numbers)
	})
	return name
}

// someMember and someRole are mostly those about whom the office's plots are, so that changes
// meet.
func (o *office) someMember(rng *rand.Rand) string { return o.mostly(rng, o.hot.member, o.members) }

func (o *office) someRole(rng *rand.Rand) string { return o.mostly(rng, o.hot.role, o.roles) }

func (o *office) someKey(rng *rand.Rand) string { return o.mostly(rng, o.hot.key, o.keys) }

func (o *office) mostly(rng *rand.Rand, one string, of []string) string {
	if one != "" && (o.race.narrow || rng.IntN(2) == 0) {
		return one
	}
	return cmp.Or(pick(rng, of), "nothing")
}

// somePermissions are those of a role.
func somePermissions(rng *rand.Rand) []identity.Permission {
	list := subset(rng, []identity.Permission{identity.MembersRead, identity.MembersWrite, identity.RefundTransactions,
		identity.FullTransactionHistoryView, identity.DeveloperSettingsWrite}, 2)
	slices.Sort(list)
	return slices.Compact(list)
}

// someRoles are what a member may be given.
func (o *office) someRoles(rng *rand.Rand) []string {
	some := []string{member.RoleEmployee, member.RoleAccountant, member.RoleAdmin}
	some = append(some, pick(rng, []string{member.RoleOwner, member.RoleEmployee}), o.hot.role, pick(rng, o.roles))
	some = slices.DeleteFunc(some, func(id string) bool { return id == "" })
	return subset(rng, some, 2)
}

func (o *office) makeRole(actor string, rng *rand.Rand, h *holder) {
	name, permissions := o.newName("role"), somePermissions(rng)
	answer := o.ask(actor, h, client.Request{Method: http.MethodPost, Path: o.path("roles"), IdempotencyKey: name,
		Body: encoded(fields{"name": name, "permissions": permissions})},
		ask{mark: name, do: linear.RoleChange{Make: true, Name: &name, Permissions: &permissions}})
	if answer.Status == http.StatusCreated {
		o.learn(&o.roles, answer.view().ID)
	}
}

func (o *office) changeRole(actor string, rng *rand.Rand, h *holder) {
	id := o.someRole(rng)
	if len(o.roles) == 0 { // there is none yet
		o.makeRole(actor, rng, h)
		return
	}
	if rng.IntN(3) > 0 {
		o.setPermissions(actor, rng, h, id, somePermissions(rng))
		return
	}
	name := o.newName("renamed")
	o.patchRole(actor, rng, h, linear.RoleChange{ID: id, Name: &name}, fields{"name": name})
}

func (o *office) setPermissions(actor string, rng *rand.Rand, h *holder, id string, to []identity.Permission) {
	o.patchRole(actor, rng, h, linear.RoleChange{ID: id, Permissions: &to}, fields{"permissions": to})
}

func (o *office) patchRole(actor string, rng *rand.Rand, h *holder, change linear.RoleChange, body fields) {
	o.ask(actor, h, o.maybeKeyed(rng, actor, client.Request{Method: http.MethodPatch, Path: o.path("roles", change.ID),
		Body: encoded(body)}), ask{do: change})
}

func (o *office) deleteRole(actor string, rng *rand.Rand, h *holder) {
	id := o.someRole(rng)
	o.ask(actor, h, client.Request{Method: http.MethodDelete, Path: o.path("roles", id),
		IdempotencyKey: o.newName("delete role")}, ask{do: linear.RoleChange{ID: id, Delete: true}})
}

// maybeKeyed gives a change an Idempotency-Key, or none.
func (o *office) maybeKeyed(rng *rand.Rand, actor string, r client.Request) client.Request {
	if rng.IntN(2) == 0 {
		r.IdempotencyKey = o.newName(actor)
	}
	return r
}

func (o *office) changeMember(actor string, rng *rand.Rand, h *holder, change linear.MemberChange, body fields) {
	o.ask(actor, h, o.maybeKeyed(rng, actor, client.Request{Method: http.MethodPut, Path: o.path("members", change.ID),
		Body: encoded(body)}), ask{do: change})
}

func (o *office) giveRoles(actor string, rng *rand.Rand, h *holder) {
	roles := o.someRoles(rng)
	o.changeMember(actor, rng, h, linear.MemberChange{ID: o.someMember(rng), Roles: &roles}, fields{"roles": roles})
}

func (o *office) annotate(actor string, rng *rand.Rand, h *holder) {
	note := o.newName("note")
	o.changeMember(actor, rng, h, linear.MemberChange{ID: o.someMember(rng), Note: &note},
		fields{"metadata": fields{"note": note}})
}

func (o *office) deleteMember(actor string, rng *rand.Rand, h *holder) {
	o.remove(actor, h, o.someMember(rng))
}

func (o *office) remove(actor string, h *holder, id string) {
	o.ask(actor, h, client.Request{Method: http.MethodDelete, Path: o.path("members", id),
		IdempotencyKey: o.newName("delete member")}, ask{do: linear.MemberChange{ID: id, Delete: true}})
}

// anOwner is one of those who were owners in the beginning.
func (o *office) anOwner(rng *rand.Rand) string {
	var owners []string
	for _, id := range sorted(o.begin.Members) {
		if slices.Contains(o.begin.Members[id].Roles, member.RoleOwner) {
			owners = append(owners, id)
		}
	}
	return pick(rng, owners)
}

func (o *office) removeOwner(actor string, rng *rand.Rand, h *holder) {
	o.remove(actor, h, o.anOwner(rng))
}

func (o *office) demoteOwner(actor string, rng *rand.Rand, h *holder) {
	roles := []string{pick(rng, []string{member.RoleAdmin, member.RoleEmployee})}
	o.changeMember(actor, rng, h, linear.MemberChange{ID: o.anOwner(rng), Roles: &roles}, fields{"roles": roles})
}

// sameGuest is an address that all offices invite.
const sameGuest = "same@guests.example"

// invite invites a new address, or one that another may invite at the same time.
func (o *office) invite(actor string, rng *rand.Rand, h *holder) {
	if rng.IntN(2) == 0 {
		o.inviteTo(actor, h, sameGuest, o.newName("guest"), o.someRoles(rng))
		return
	}
	mark := o.newName("guest")
	o.inviteTo(actor, h, mark+"@guests.example", mark, o.someRoles(rng))
}

func (o *office) inviteSame(actor string, _ *rand.Rand, h *holder) {
	o.inviteTo(actor, h, sameGuest, o.newName("guest"), []string{member.RoleEmployee})
}

func (o *office) inviteTo(actor string, h *holder, address, mark string, roles []string) {
	o.learn(&o.guests, address)
	made := linear.Member{Address: address, Roles: roles, Note: mark, Pending: true}
	answer := o.ask(actor, h, client.Request{Method: http.MethodPost, Path: o.path("members"), IdempotencyKey: mark,
		Body: encoded(fields{"email": address, "roles": roles, "metadata": fields{"note": mark}})},
		ask{mark: mark, do: linear.MemberChange{Make: &made}})
	if answer.Status == http.StatusCreated {
		o.learn(&o.members, answer.view().ID)
	}
}

// hire makes an operator, perhaps with a name that another may be given at the same time, and
// gives it a token when it is there.
func (o *office) hire(actor string, rng *rand.Rand, h *holder) {
	mark := o.newName("operator")
	made := linear.Member{Address: mark + "@operators.example", Roles: []string{member.RoleEmployee}, Note: mark,
		Managed: true}
	if rng.IntN(2) == 0 {
		made.Address = "same@operators.example"
	}
	body := fields{"username": made.Address, "password": password, "nickname": mark}
	if rng.IntN(2) == 0 {
		made.Own = []identity.Permission{identity.RefundTransactions}
		body["permissions"] = fields{"refund_transactions": true}
	}
	o.record(func() { o.own[mark] = made.Own })
	made.Note = "" // a nickname is no metadata
	answer := o.ask(actor, h, client.Request{Method: http.MethodPost, Path: "/v0.1/me/accounts", IdempotencyKey: mark,
		Body: encoded(body)}, ask{mark: mark, do: linear.MemberChange{Operator: true, Make: &made}})
	var shown struct{ ID int32 }
	if answer.Status != http.StatusCreated || json.Unmarshal(answer.Body, &shown) != nil {
		return
	}
	m, err := o.store.Member(o.ctx(), o.tenant, shown.ID)
	if err == nil {
		o.learn(&o.members, m.ID)
		o.login("operator", m, identity.AllScopes())
	}
}

func (o *office) disable(actor string, rng *rand.Rand, h *holder) {
	id, yes := o.someMember(rng), true
	o.ask(actor, h, client.Request{Method: http.MethodPost, Path: "/v0.1/me/accounts/" +
		strconv.Itoa(int(member.NumberOf(id))) + "/disable"},
		ask{do: linear.MemberChange{ID: id, Operator: true, Disabled: &yes}})
}

// someScopes are those of a key.
func someScopes(rng *rand.Rand) []string {
	list := subset(rng, []string{"members.write", "roles.write", "api_keys:write", "payments", "user.subaccounts"}, 4)
	slices.Sort(list)
	return slices.Compact(list)
}

// makeKey makes a key, which anybody may use from then on.
func (o *office) makeKey(actor string, rng *rand.Rand, h *holder) {
	mark, scopes := o.newName("key"), someScopes(rng)
	answer := o.ask(actor, h, client.Request{Method: http.MethodPost, Path: o.path("api-keys"), IdempotencyKey: mark,
		Body: encoded(fields{"name": mark, "scopes": scopes})},
		ask{mark: mark, do: linear.KeyChange{Make: true, Name: &mark, Scopes: &scopes}})
	id, text := answer.view().ID, answer.Text("plaintext")
	if answer.Status != http.StatusCreated {
		return
	}
	o.learn(&o.keys, id)
	if text != "" { // a replay does not show it
		o.record(func() {
			o.secrets[text] = "API key"
			o.holders["spare"] = &holder{name: "spare", token: text, home: o, by: linear.Caller{Key: id}}
		})
	}
}

func (o *office) restrict(actor string, rng *rand.Rand, h *holder) {
	id, scopes, name := o.someKey(rng), someScopes(rng), o.newName("restricted")
	o.changeKey(actor, h, linear.KeyChange{ID: id, Name: &name, Scopes: &scopes})
}

func (o *office) rename(actor string, rng *rand.Rand, h *holder) {
	id, scopes, name := o.someKey(rng), identity.AllScopes(), o.newName("renamed")
	o.changeKey(actor, h, linear.KeyChange{ID: id, Name: &name, Scopes: &scopes})
}

func (o *office) changeKey(actor string, h *holder, change linear.KeyChange) {
	o.ask(actor, h, client.Request{Method: http.MethodPut, Path: o.path("api-keys", change.ID),
		Body: encoded(fields{"name": *change.Name, "scopes": *change.Scopes})}, ask{do: change})
}

func (o *office) revoke(actor string, rng *rand.Rand, h *holder) {
	o.revokeKey(actor, h, o.someKey(rng))
}

func (o *office) revokeKey(actor string, h *holder, id string) {
	o.ask(actor, h, client.Request{Method: http.MethodDelete, Path: o.path("api-keys", id),
		IdempotencyKey: o.newName("revoke")}, ask{do: linear.KeyChange{ID: id, Delete: true}})
}
