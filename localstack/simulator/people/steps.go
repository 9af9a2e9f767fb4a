package people

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

type plot []side // lists groups of credential holders that act at the same time

// side is a group of holders who take the same steps.
type side struct {
	who   []string
	steps []step
}

type step func(c clerk)

// clerk makes requests with a holder's credential.
type clerk struct {
	*people
	actor string
	rng   *rand.Rand
	by    *holder // nil for a browser
}

// plots lists plots with conflicting changes. Plots that occur more than once are chosen more often.
var plots = []plot{
	{{[]string{"owner", "olga", "key"}, []step{clerk.removeOwner, clerk.demoteOwner, clerk.giveRoles}}},
	{{[]string{"owner", "key", "rosa", "emil"}, []step{clerk.makeRole, clerk.changeRole, removeStep("roles"),
		clerk.giveRoles}}},
	{{[]string{"owner", "rosa", "olga"}, []step{clerk.giveRoles, clerk.annotate, clerk.invite,
		removeStep("members"), clerk.changeRole}}},
	guestPlot, guestPlot, guestPlot,
	keyPlot,
	hiringPlot,
	leavingPlot, leavingPlot,
	takeoverPlot, takeoverPlot, takeoverPlot,
}

var guestPlot = plot{{[]string{"owner", "key", "olga"}, []step{clerk.invite, clerk.invite, clerk.invite,
	clerk.dismissGuest, clerk.dismissGuest, clerk.giveRoles}}}

var hiringPlot = plot{{[]string{"owner", "rosa", "key"}, []step{clerk.hire, clerk.invite}}}

// keyPlot creates, changes and revokes API keys.
var keyPlot = plot{{[]string{"owner", "spare", "key", "rosa"}, []step{clerk.makeKey, clerk.restrictKey,
	clerk.restrictKey, removeStep("api-keys"), clerk.annotate}}}

// leavingPlot changes, disables, enables and deletes the managed user "till", and gives it a new password. The user
// creates API keys and signs in again.
var leavingPlot = plot{
	{[]string{"owner", "key", "olga"}, []step{clerk.disableTill, clerk.disableTill, clerk.enableTill, clerk.resetTill,
		clerk.demoteTill, clerk.dismissTill}},
	{[]string{"till"}, []step{clerk.makeKey, clerk.makeKey, clerk.annotate}},
	{[]string{"spare"}, []step{clerk.makeKey, clerk.annotate}},
	{[]string{"till"}, []step{clerk.signInAgain, clerk.annotate}},
}

// takeoverPlot takes rights away from a user who is using them.
var takeoverPlot = plot{rightsUser, {[]string{"owner", "key"}, []step{clerk.takeRights}}}

var rightsUser = side{[]string{"victim"}, []step{clerk.giveRoles, clerk.annotate, clerk.makeRole, clerk.changeRole,
	clerk.makeKey, clerk.invite, clerk.restrictKey}}

// signOutPlot returns a plot that revokes a token while the token is used.
func signOutPlot(revoke step) plot { return plot{rightsUser, {[]string{"owner"}, []step{revoke}}} }

// send repeats a request until the answer is settled.
func (c clerk) send(method, path string, body any, key string) simulator.Response {
	return c.Settle(c.actor, c.Tenant, client.Request{Method: method, Path: path, Body: body, APIKey: c.by.text,
		IdempotencyKey: key})
}

func (c clerk) read() {
	c.send(http.MethodGet, c.path(simulator.Pick(c.rng, append(collections, "members")))+"?limit=50", nil, "")
}

// create creates an element of a collection, with a unique name or note.
func (c clerk) create(collection string, body fields) simulator.Response {
	mark := c.newName(collection)
	if collection == "members" {
		body["metadata"] = fields{"note": mark}
	} else {
		body["name"] = mark
	}
	return c.send(http.MethodPost, c.path(collection), body, mark)
}

// change changes an element of a collection, with an Idempotency-Key or without.
func (c clerk) change(collection, id string, body fields) {
	method, key := http.MethodPut, ""
	if collection == "roles" {
		method = http.MethodPatch
	}
	if collection != "api-keys" && c.rng.IntN(2) == 0 {
		key = c.newName(c.actor)
	}
	c.send(method, c.path(collection, id), body, key)
}

func (c clerk) remove(collection, id, query string) {
	c.send(http.MethodDelete, c.path(collection, id)+query, nil, c.newName("delete"))
}

// pickID returns the id of an element of the collection. It prefers the collection's hot element, so that changes meet.
func (c clerk) pickID(collection string) string {
	if hot := c.hot[collection]; hot != "" && (c.narrow || c.rng.IntN(2) == 0) {
		return hot
	}
	return cmp.Or(simulator.Pick(c.rng, c.ids[collection]), "nothing")
}

// pickSubset returns some of the values, sorted: at least one value and no more than most.
func pickSubset[T cmp.Ordered](rng *rand.Rand, most int, of ...T) []T {
	var some []T
	for range 1 + rng.IntN(most) {
		some = append(some, of[rng.IntN(len(of))])
	}
	slices.Sort(some)
	return slices.Compact(some)
}

func (c clerk) pickPermissions() []identity.Permission {
	return pickSubset(c.rng, 2, identity.MembersRead, identity.MembersWrite, identity.RefundTransactions,
		identity.FullTransactionHistoryView, identity.DeveloperSettingsWrite)
}

// removeStep returns the step that removes an element of a collection.
func removeStep(collection string) step {
	return func(c clerk) { c.remove(collection, c.pickID(collection), "") }
}

func (c clerk) pickScopes() []string { return pickSubset(c.rng, 4, spareScopes...) }

func (c clerk) makeRole() { c.create("roles", fields{"permissions": c.pickPermissions()}) }

func (c clerk) changeRole() {
	if len(c.ids["roles"]) == 0 {
		c.makeRole()
		return
	}
	c.change("roles", c.pickID("roles"), fields{"permissions": c.pickPermissions()})
}

func (c clerk) pickRoles() []string {
	return pickSubset(c.rng, 2, member.RoleEmployee, member.RoleAccountant, member.RoleAdmin,
		simulator.Pick(c.rng, []string{member.RoleOwner, member.RoleEmployee}), c.pickID("roles"))
}

func (c clerk) giveRoles() { c.setRoles(c.pickID("members"), c.pickRoles()...) }

func (c clerk) setRoles(id string, roles ...string) { c.change("members", id, fields{"roles": roles}) }

func (c clerk) annotate() {
	c.change("members", c.pickID("members"), fields{"metadata": fields{"note": c.newName("note")}})
}

// pickOwner returns the id of one of the first two owners.
func (c clerk) pickOwner() string {
	return simulator.Pick(c.rng, []string{c.holders["owner"].member, c.holders["olga"].member})
}

func (c clerk) removeOwner() { c.remove("members", c.pickOwner(), "") }

func (c clerk) demoteOwner() {
	c.setRoles(c.pickOwner(), simulator.Pick(c.rng, []string{member.RoleAdmin, member.RoleEmployee}))
}

const sameGuest = "same@guests.example" // the address of most invitations

// invite invites sameGuest, or sometimes a new address. Other clients invite sameGuest at the same time.
func (c clerk) invite() {
	if c.rng.IntN(5) == 0 {
		c.addMember("", c.pickRoles(), fields{})
		return
	}
	c.addMember(sameGuest, []string{member.RoleEmployee}, fields{})
}

// hire creates an operator, sometimes with the address of another.
func (c clerk) hire() {
	c.addMember(simulator.Pick(c.rng, []string{"same@operators.example", ""}), []string{member.RoleEmployee},
		fields{"is_managed_user": true, "password": password})
}

// addMember adds a member with the address, or with a new address if it is "".
func (c clerk) addMember(address string, roles []string, body fields) {
	address = cmp.Or(address, c.newName("guest")+"@guests.example")
	c.Record(func() { c.guests = append(c.guests, address) })
	body["email"], body["roles"] = address, roles
	c.create("members", body)
}

// dismissGuest deletes the member who was invited last to the address sameGuest. If there is no such member, it deletes
// a member that pickID picks.
func (c clerk) dismissGuest() { c.remove("members", cmp.Or(c.guest, c.pickID("members")), "") }

var link = regexp.MustCompile(`/invitations/([A-Za-z0-9_-]+)`) // matches the path of an invitation in a mail

// acceptInvitation waits up to five minutes for the mail of an invitation, and follows its link.
func (c clerk) acceptInvitation() {
	token := ""
	for try := 0; token == "" && try < 30; try++ {
		address := simulator.Pick(c.rng, c.guests)
		if c.narrow && c.guest != "" {
			address = sameGuest
		}
		for _, m := range c.Mails.Sent() {
			if found := link.FindStringSubmatch(m.Text); found != nil && m.To == address {
				token = found[1]
			}
		}
		if token == "" {
			c.Pass(10 * time.Second)
		}
	}
	if token == "" {
		return
	}
	path := "/invitations/" + token
	page := c.Settle(c.actor, "", client.Request{Method: http.MethodGet, Path: path})
	form, err := page.Form()
	if err != nil { // it was accepted or withdrawn
		return
	}
	form.Fields.Set("password", password)
	cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
	r := form.Request()
	r.Path, r.Header = path, map[string]string{"Cookie": cookie}
	c.Settle(c.actor, "", r)
}

// sendAboutTill sends a request about the operator "till" (contract §7.4).
func (c clerk) sendAboutTill(method, end string, body any, key string) {
	number := strconv.Itoa(int(member.NumberOf(c.holders["till"].member)))
	c.send(method, "/v0.1/me/accounts/"+number+end, body, key)
}

// pickKeepQuery returns the query of a request: mostly none, sometimes with the wish to keep the member's keys.
func (c clerk) pickKeepQuery() string {
	return simulator.Pick(c.rng, []string{"", "", "?keep_api_keys=true"})
}

func (c clerk) disableTill() { c.sendAboutTill(http.MethodPost, "/disable"+c.pickKeepQuery(), nil, "") }

func (c clerk) enableTill() {
	c.sendAboutTill(http.MethodPut, "", fields{"disabled": false}, c.newName(c.actor))
}

func (c clerk) resetTill() {
	name := c.newName("a new password")
	c.sendAboutTill(http.MethodPut, "/reset", fields{"password": name}, c.actor+name)
}

func (c clerk) demoteTill() {
	c.setRoles(c.holders["till"].member, member.RoleEmployee)
	c.setRoles(c.holders["till"].member, member.RoleAdmin)
}

func (c clerk) dismissTill() { c.remove("members", c.holders["till"].member, c.pickKeepQuery()) }

// signInAgain gives the clerk another access token, if the member is active.
func (c clerk) signInAgain() {
	m, err := c.store.Member(c.ctx(), c.tenant, member.NumberOf(c.by.member))
	if err == nil && m.Active() {
		c.Notef(c.actor, "%s signs in again", c.by.name)
		c.signIn(c.by.name, m, c.newName("token"))
	}
}

// makeKey creates a key. The clerks of the holder "spare" use this key from then on.
func (c clerk) makeKey() {
	answer := c.create("api-keys", fields{"scopes": c.pickScopes()})
	if text := answer.Text("plaintext"); answer.Status == http.StatusCreated && text != "" { // replays hide the key
		c.addHolder(&holder{name: "spare", text: text, key: answer.View().ID})
	}
}

// restrictKey gives a key some scopes, or all.
func (c clerk) restrictKey() {
	scopes := identity.AllScopes()
	if c.rng.IntN(2) == 0 {
		scopes = c.pickScopes()
	}
	c.changeKey(c.pickID("api-keys"), scopes)
}

func (c clerk) changeKey(id string, scopes []string) {
	c.change("api-keys", id, fields{"name": c.newName("renamed"), "scopes": scopes})
}

// takeRights takes rights from the victim, who may be using them.
func (c clerk) takeRights() {
	from := c.victim
	switch chance := c.rng.IntN(4); {
	case from.key != "" && chance < 2:
		c.remove("api-keys", from.key, "")
	case from.key != "":
		c.changeKey(from.key, []string{"payments"})
	case chance == 0: // a world revokes in only one way, so that no other way's condition hides a missing condition
		[]step{clerk.revokeClient, clerk.revokeGrant, clerk.revokeToken}[c.Seed%3](c)
	case from.name == "rosa" && (chance == 1 || c.narrow):
		c.change("roles", c.hot["roles"], fields{"permissions": []identity.Permission{identity.FullTransactionHistoryView}})
	case chance == 2:
		c.remove("members", from.member, "")
	default:
		c.setRoles(from.member, member.RoleEmployee)
	}
}

func (c clerk) revokeClient() {
	_, err := c.store.UpdateOAuthClient(c.ctx(), bySimulator, appOf(c.victim.member),
		func(app oauth.Client) (oauth.Client, error) {
			app.RevokedAt = c.Now()
			return app, nil
		})
	c.signOut(err)
}

func (c clerk) revokeGrant() { c.signOut(c.store.RevokeGrant(c.ctx(), c.refreshOf(c.victim.token))) }

func (c clerk) revokeToken() {
	c.signOut(c.store.RevokeAccessToken(c.ctx(), identity.Hash(c.victim.text)))
}

// signOut records that the victim's token is refused from now on.
func (c clerk) signOut(err error) {
	c.Must(err)
	c.Notef(c.actor, "%s signs out", c.victim.name)
	c.endCredentials(func(h *holder) bool { return h == c.victim })
}

type fields = map[string]any
